import { randomUUID } from 'node:crypto';
import type { CommitBody, CommitRecord, FanOutRecordBody } from '@carillon/contracts';
import { MemoryHistoryStore } from '@carillon/history-store';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type CommitAnswer,
  CommitClient,
  type CommitTransport,
  LocalLanes,
  systemClock,
} from '../../src/index.js';
import { publishOf } from '../samples.js';
import { ids, waiting } from './scene.js';
import { SILENT_EVENTS } from '../silent-events.js';

/** A transport that loses, duplicates and delays requests as scripted. */
class BadTransport implements CommitTransport {
  constructor(
    private readonly lanes: LocalLanes,
    private readonly next: () => number,
  ) {}

  async send(request: CommitBody): Promise<CommitAnswer> {
    const how = this.next() % 6;
    if (how === 0) return { kind: 'no_responder' };
    if (how === 1) void this.lanes.send(request);
    const answer = await this.lanes.send(request);
    // The answer is lost, and the sender sees no responder.
    return how === 2 ? { kind: 'no_responder' } : answer;
  }
}

function world(next: () => number) {
  const store = new MemoryHistoryStore();
  const sent: FanOutRecordBody[] = [];
  const lanes = new LocalLanes(
    {
      store,
      clock: systemClock,
      newStreamId: randomUUID,
      fanOut: async (records) => void sent.push(...records),
      events: SILENT_EVENTS,
    },
    { lanes: 2, writerId: 'w', nodeId: 'n', queueCapacity: 4096 },
  );
  const client = new CommitClient(
    { clock: systemClock, transport: new BadTransport(lanes, next), random: () => 0, resent: () => {} },
    { lanes: 2, nodeId: 'n', budgetMs: 5000, maxRecordBytes: null },
  );
  return { store, sent, lanes, client };
}

describe('publishers in the process of the writer', () => {
  it('commit every record once and in their own order, whatever happens on the way', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.infiniteStream(fc.nat(5)),
        fc.array(fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 6 }), { maxLength: 6 }),
        async (luck, calls) => {
          const { sent, lanes, client } = world(() => luck.next().value ?? 5);
          const all: CommitRecord[] = [];
          const answers = calls.map((channels) => {
            const records = channels.map((channel) => publishOf(`c${channel}`, 'x'));
            all.push(...records);
            return client.commit(records);
          });
          const results = (await Promise.all(answers)).flat();
          await lanes.close();
          expect(ids(results)).toEqual(ids(all));
          expect(results.every(({ status }) => status === 'applied')).toBe(true);
          for (const channel of ['c0', 'c1', 'c2']) {
            const own = all.filter((record) => record.channel === channel);
            const serials = own.map(
              ({ pub_id }) => results.find((one) => one.pub_id === pub_id)?.delivery_serial,
            );
            expect(serials).toEqual(own.map((_, index) => index + 1));
            const seen = sent.filter((record) => record.channel === channel && record.resent !== true);
            expect(seen.map(({ serial }) => serial)).toEqual(serials);
          }
        },
      ),
      { numRuns: 12 },
    );
  });

  it('refuse another number of lanes', async () => {
    const { lanes } = world(() => 5);
    const request = {
      lanes: 3,
      lane: 0,
      budget_ms: 100,
      chain: false,
      node_id: 'n',
      records: [publishOf('a', '1')],
    };
    expect(await lanes.send(request)).toEqual({ kind: 'refused', code: 'lane_mismatch' });
    await lanes.resendTails();
    await lanes.close();
    expect(waiting(lanes)).toBe(0);
  });
});
