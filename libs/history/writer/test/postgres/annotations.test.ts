import { randomUUID } from 'node:crypto';
import { Tally } from '@carillon/history-annotations';
import type { CommitRecord, FanOutRecordBody } from '@carillon/contracts';
import { engine } from '@carillon/test-backends';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CommitClient, systemClock } from '../../src/index.js';
import { POLICY } from '../samples.js';
import { openWriter, type Writer } from './scene.js';

const CHANNEL = 'annotated';
const TYPE = 'reactions:distinct.v1';
/** Number of clients with which the summary text is stored only occasionally. */
const CLIENTS = 150;

const base = () => ({
  pub_id: randomUUID(),
  app_id: 'shop',
  channel: CHANNEL,
  policy: { ...POLICY, versioned: true },
});

const clientOf = ({ lanes }: Writer) =>
  new CommitClient(
    { clock: systemClock, transport: lanes, random: Math.random, resent: () => {} },
    { lanes: 1, nodeId: 'n', budgetMs: 20_000, maxRecordBytes: null },
  );

describe('two writers that annotate one message by turns', () => {
  let writers: readonly [Writer, Writer];
  let third: Writer;
  let end: () => Promise<void>;
  beforeAll(async () => {
    const corner = await (await engine('postgres')).isolate();
    end = corner.end;
    writers = [await openWriter(corner.url, 'w1'), await openWriter(corner.url, 'w2')];
    third = await openWriter(corner.url, 'w3');
  });
  afterAll(async () => {
    await Promise.all([...writers, third].map(({ lanes }) => lanes.close()));
    await Promise.all([...writers, third].map(({ database }) => database.close()));
    await end();
  });

  it('tell and store after each annotation what all of them come to', async () => {
    const clients = writers.map(clientOf);
    const commit = async (turn: number, records: readonly CommitRecord[]) =>
      (await clients[turn % clients.length]?.commit(records)) ?? [];
    const message_id = randomUUID();
    const message = JSON.stringify({ event: 'note', channel: CHANNEL, data: 'x', message_id });
    const [made] = await commit(0, [{ ...base(), op: 'create', message_id, message }]);
    const message_serial = made?.message_serial ?? '';
    const annotated = (client: number): CommitRecord => ({
      ...base(),
      op: 'annotate',
      message_serial,
      type: TYPE,
      name: `name-${client % 3}`,
      client_id: `client-${(client * 7919) % CLIENTS}`,
      max_frame_bytes: 0,
    });
    // Sequentially at one writer, then at the other, then concurrently, with deletions in between.
    for (let turn = 0; turn < 12; turn += 1) {
      const first = turn * 12;
      const together = Array.from({ length: 10 }, (_, at) => annotated(first + at));
      const [alone] = await commit(turn >> 1, [annotated(first + 11)]);
      await commit(turn >> 1, together);
      const taken = { ...base(), op: 'unannotate' as const, actor: { grant: 'any' as const } };
      const annotation_serial = alone?.annotation_serial ?? '';
      await commit(turn, [{ ...taken, message_serial, annotation_serial, max_frame_bytes: 0 }]);
    }
    const [{ store }] = writers;
    const [stream] = (await store.heads([{ appId: 'shop', channel: CHANNEL, kind: 'messages' }])).values();
    const { streamKey = '', generation = 0, floorMessageSerial = 1 } = stream ?? {};
    const query = { streamKey, messageSerial: message_serial, type: TYPE, sinceMs: null, afterNo: 0 };
    const events = await store.annotations({ ...query, limit: 1000 });
    expect(events).toHaveLength(144);
    const told = new Map(
      writers
        .flatMap(({ sent }) => sent)
        .map((record: FanOutRecordBody) => [record.annotation_no, record.summary ?? '{}']),
    );
    const tally = Tally.of(TYPE, null);
    for (const event of events) {
      tally.apply(event);
      expect(told.get(event.annotationNo)).toContain(`{${JSON.stringify(TYPE)}:${tally.text()}}`);
    }
    const about = { streamKey, generation, floorMessageSerial, nowMs: Date.now(), belowNo: null };
    const [stored] = await store.summaries({ ...about, limit: 10 });
    expect(Tally.of(TYPE, stored ?? null).text()).toBe(tally.text());
    expect(writers.flatMap(({ retries }) => retries)).toEqual([]);

    // A process of before has no more than the text, and writes that.
    const [{ database }] = writers;
    await database.query(
      `update service_history_annotation_summaries set summary = '{}', since = convert_to('[1]', 'UTF8')`,
    );
    const [again] = await clientOf(third).commit([annotated(7)]);
    const [last] = await store.annotations({ ...query, afterNo: 144, limit: 2 });
    expect(last?.annotationSerial).toBe(again?.annotation_serial);
    if (last !== undefined) tally.apply(last);
    expect(third.sent.at(-1)?.summary).toContain(`{${JSON.stringify(TYPE)}:${tally.text()}}`);
    const [whole] = await store.summaries({ ...about, limit: 10 });
    expect(Tally.of(TYPE, whole ?? null).text()).toBe(tally.text());
  });
});
