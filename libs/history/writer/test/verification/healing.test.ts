import { randomUUID } from 'node:crypto';
import type { CommitRecord } from '@carillon/contracts';
import {
  type Changes,
  laneOf,
  MemoryHistoryStore,
  type StoredRecord,
  type Stream,
  type StreamAddress,
  type StreamKind,
  streamName,
} from '@carillon/history-store';
import { describe, expect, it } from 'vitest';
import { LocalLanes, serverOf } from '../../src/index.js';
import { ManualClock } from '../manual-clock.js';
import { publishOf, purgeOf } from '../samples.js';
import { SILENT_EVENTS } from '../silent-events.js';
import { LANES, WriterScene } from '../writer/scene.js';

const MINUTE_MS = 60_000;
const NOTHING: Changes = {
  streams: [],
  records: [],
  receipts: [],
  presenceEvents: [],
  presenceMembers: [],
  presenceCheckpoints: [],
  operatorLog: [],
};

const addressOf = (channel: string, kind: StreamKind = 'messages'): StreamAddress => ({
  appId: 'shop',
  channel,
  kind,
});

async function headOf(store: MemoryHistoryStore, address: StreamAddress): Promise<Stream> {
  const stream = (await store.heads([address])).get(streamName(address));
  if (stream === undefined) throw new Error('there is no stream');
  return stream;
}

/** Writes behind the writer's back, and marks the stream. */
async function spoil(
  store: MemoryHistoryStore,
  address: StreamAddress,
  rows: readonly Partial<StoredRecord>[] = [],
  more: Partial<Stream> = {},
): Promise<void> {
  const wanted = {
    nowMs: 0,
    streams: [{ address, create: true }],
    receipts: { scopes: [], sinceMs: 0 },
    members: [],
    crowds: [],
    below: null,
    inspect: false,
  };
  await store.commit(wanted, (found) => {
    const stream = found.streams.get(streamName(address));
    if (stream === null || stream === undefined) throw new Error('there is no stream');
    const { streamKey, generation, nextDeliverySerial: next } = stream;
    const records = rows.map((row, index) => ({
      ...publishedRow(streamKey, generation, next + index),
      ...row,
    }));
    const durable = { state: 'degraded', reason: 'history_row_unreadable', nodeId: 'reader', changedAtMs: 1 };
    const head = {
      ...stream,
      nextDeliverySerial: next + rows.length,
      nextHistorySerial: next + rows.length,
      retainedMessages: stream.retainedMessages + rows.length,
      durable: { ...durable, state: 'degraded' as const },
      ...more,
    };
    return { changes: { ...NOTHING, records, streams: [head] } };
  });
}

const publishedRow = (streamKey: string, generation: number, serial: number): StoredRecord => ({
  streamKey,
  generation,
  deliverySerial: serial,
  historySerial: serial,
  rootHistorySerial: null,
  publishedAtMs: 0,
  historyUntilMs: Number.MAX_SAFE_INTEGER,
  keepUntilMs: Number.MAX_SAFE_INTEGER,
  action: 'plain',
  messageSerial: null,
  versionSerial: null,
  messageId: randomUUID(),
  eventName: 'e',
  actorClientId: null,
  payload: '{"event":"e"}',
  payloadSize: 13,
  tombstone: false,
});

const UNREADABLE = { payload: '{"event":' };

function scene() {
  const clock = new ManualClock();
  const store = new MemoryHistoryStore();
  const failures: unknown[] = [];
  const lanes = new LocalLanes(
    { store, clock, newStreamId: randomUUID, fanOut: async () => {}, events: SILENT_EVENTS },
    { lanes: LANES, writerId: 'w', nodeId: 'node-1', queueCapacity: 100 },
  );
  lanes.beginVerifying((error) => failures.push(error));
  const commit = async (record: CommitRecord) => {
    const lane = laneOf(record.app_id, record.channel, LANES);
    const request = { lanes: LANES, lane, budget_ms: 5000, chain: false, node_id: 'n', records: [record] };
    const answer = lanes.send(request);
    await clock.pass(10);
    return answer;
  };
  const stateOf = async (channel: string, kind?: StreamKind) =>
    (await headOf(store, addressOf(channel, kind))).durable;
  return { clock, store, failures, lanes, commit, stateOf };
}

const HEALTHY = { state: 'healthy', reason: null, nodeId: 'node-1' };

describe('a degraded stream', () => {
  it('is healthy again within a minute after its unreadable row is purged', async () => {
    const { clock, store, failures, commit, stateOf } = scene();
    await spoil(store, addressOf('a'), [{}, UNREADABLE, {}]);
    await clock.pass(3 * MINUTE_MS);
    expect(await stateOf('a')).toMatchObject({ state: 'degraded', nodeId: 'reader', changedAtMs: 1 });
    expect(await commit(publishOf('a', 'x'))).toMatchObject({ results: [{ status: 'applied' }] });
    await commit(purgeOf('a', { mode: 'before_serial', before_serial: 3 }));
    expect(await stateOf('a')).toMatchObject({ state: 'degraded' });
    await clock.pass(MINUTE_MS);
    expect(await stateOf('a')).toMatchObject(HEALTHY);
    const { changedAtMs } = await stateOf('a');
    await clock.pass(3 * MINUTE_MS);
    expect(await stateOf('a')).toMatchObject({ changedAtMs });
    expect(failures).toEqual([]);
  });

  it('is healthy again once that row has expired', async () => {
    const { clock, store, stateOf } = scene();
    const historyUntilMs = clock.now() + 2 * MINUTE_MS;
    await spoil(store, addressOf('a'), [{}, { ...UNREADABLE, historyUntilMs }]);
    await clock.pass(2 * MINUTE_MS - 1);
    expect(await stateOf('a')).toMatchObject({ state: 'degraded' });
    await clock.pass(MINUTE_MS);
    expect(await stateOf('a')).toMatchObject(HEALTHY);
  });

  it('stays so while a serial is missing, or two rows have the same', async () => {
    const { clock, store, stateOf } = scene();
    await spoil(store, addressOf('gap'), [{}, {}], { retainedMessages: 3 });
    await spoil(store, addressOf('conflict'), [{}, { historySerial: 1 }], { retainedMessages: 1 });
    await clock.pass(3 * MINUTE_MS);
    for (const channel of ['gap', 'conflict'])
      expect(await stateOf(channel)).toMatchObject({ state: 'degraded', nodeId: 'reader' });
  });

  it('of presence is left to those who know, and one that has to be reset to an operator', async () => {
    const { clock, store, stateOf } = scene();
    await spoil(store, addressOf('members', 'presence'));
    const durable = { state: 'reset_required', reason: 'r', nodeId: 'reader', changedAtMs: 1 } as const;
    await spoil(store, addressOf('lost'), [{}], { durable });
    await clock.pass(3 * MINUTE_MS);
    expect(await stateOf('members', 'presence')).toMatchObject({ state: 'degraded' });
    expect(await stateOf('lost')).toEqual(durable);
  });

  it('is not verified any more when the lanes are closed', async () => {
    const { clock, store, lanes, stateOf } = scene();
    await spoil(store, addressOf('a'), [{}]);
    await lanes.close();
    await clock.pass(3 * MINUTE_MS);
    expect(await stateOf('a')).toMatchObject({ state: 'degraded' });
  });

  it('is verified by whichever writer serves its lane, and by no writer that leaves', async () => {
    const world = new WriterScene();
    const [one, other] = [world.start(), world.start()];
    await world.clock.pass(3000);
    const channels = Array.from({ length: 24 }, (_, index) => `c-${index}`);
    for (const channel of channels) await spoil(world.store, addressOf(channel), [{}]);
    await world.clock.pass(MINUTE_MS);
    for (const channel of channels) {
      const writerId = serverOf(laneOf('shop', channel, LANES), [one.writerId, other.writerId]);
      expect((await headOf(world.store, addressOf(channel))).durable).toMatchObject({
        state: 'healthy',
        nodeId: writerId,
      });
    }
    for (const { writer } of [one, other]) void writer.leave();
    await spoil(world.store, addressOf('late'), [{}]);
    await world.clock.pass(3 * MINUTE_MS);
    expect((await headOf(world.store, addressOf('late'))).durable).toMatchObject({ state: 'degraded' });
    expect([...one.lines, ...other.lines].filter((line) => line.includes('verify'))).toEqual([]);
  });
});
