import type { FanOutRecordBody } from '@carillon/contracts';
import { newStream, streamName, type StoredRecord, type Stream } from '@carillon/history-store';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Seen, Streams } from '../../src/durable/streams.js';
import { StoredOrigin } from '../../src/durable/stored-origin.js';
import type { StreamReads } from '../../src/durable/stream-reads.js';
import { otherwise, record, STREAM } from './records.js';

const ADDRESS = { appId: 'shop', channel: 'orders', kind: 'messages' } as const;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const stored = (serial: number): StoredRecord => ({
  streamKey: 'k',
  generation: 1,
  deliverySerial: serial,
  historySerial: serial,
  rootHistorySerial: null,
  publishedAtMs: 1,
  historyUntilMs: 1,
  keepUntilMs: 1,
  action: 'plain',
  messageSerial: null,
  versionSerial: null,
  messageId: `m${serial}`,
  eventName: 'e',
  actorClientId: null,
  payload: `{"event":"e","channel":"orders","data":"${serial}"}`,
  payloadSize: 1,
  tombstone: false,
});

const textOf = ({ next, historyHead, messageId, contradicted }: Seen): string =>
  `regressed ${next} ${historyHead}` +
  (contradicted === null ? '' : ` by ${messageId} and ${contradicted.serial} ${contradicted.messageId}`);

/** A followed channel, with a store of `count` records. */
async function scene({ count = 0, handedOver = 0, reads = true } = {}) {
  const state = { count, isAway: false, ranges: 0, heads: 0 };
  const answer = async <Value>(value: Value): Promise<Value> => {
    if (state.isAway) throw new Error('away');
    return value;
  };
  const stream = (): Stream => ({
    ...newStream(ADDRESS, 'k', STREAM, 16),
    nextDeliverySerial: state.count + 1,
    fannedOutSerial: handedOver,
  });
  const store: StreamReads = {
    messages: async () => [],
    versions: async () => [],
    annotations: async () => [],
    summaries: async () => [],
    heads: (asked) => {
      state.heads += asked.length;
      return answer(new Map(state.count === 0 ? [] : [[streamName(ADDRESS), stream()]]));
    },
    range: ({ fromSerial, toSerial }) => {
      state.ranges += 1;
      const serials = Array.from({ length: toSerial - fromSerial + 1 }, (_, n) => fromSerial + n);
      return answer(serials.filter((serial) => serial <= state.count).map(stored));
    },
  };
  const delivered: FanOutRecordBody[] = [];
  const told: string[] = [];
  const streams = new Streams({
    origin: reads ? new StoredOrigin(store) : null,
    deliver: (one) => void delivered.push(one),
    regressed: (_, seen) => void told.push(textOf(seen)),
    checked: () => undefined,
    fetched: (result) => void told.push(result),
    onTrouble: () => undefined,
    nowMs: () => Date.now(),
  });
  streams.follow('shop', 'orders');
  await pass(10);
  const serials = () => delivered.map(({ serial }) => serial);
  return { state, streams, delivered, told, serials };
}

const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

describe('a channel that somebody here has', () => {
  it('gets a record that did not come from the store, with its content', async () => {
    const { streams, state, serials, delivered, told } = await scene({ count: 2 });
    state.count = 4;
    streams.take(record(4));
    await pass(200);
    expect(serials()).toEqual([]);
    await pass(200);
    expect([serials(), told]).toEqual([[3, 4], ['fetched']]);
    expect(JSON.parse(String(delivered[0]?.message))).toEqual({
      event: 'e',
      channel: 'orders',
      data: '3',
      stream_id: STREAM,
      serial: 3,
    });
  });

  it('is read where it is known to stand, without asking for that again', async () => {
    const { streams, state, serials } = await scene({ count: 2 });
    const asked = state.heads;
    state.count = 9;
    streams.take(record(4));
    await pass(400);
    expect([serials(), state.heads, state.ranges]).toEqual([[3, 4], asked, 1]);
    state.isAway = true;
    streams.take(record(6));
    await pass(400);
    state.isAway = false;
    await pass(50);
    expect([serials(), state.heads]).toEqual([[3, 4, 5, 6], asked]);
  });

  it('is asked for where it stands when what is known of it does not give what is missing', async () => {
    const { streams, state, serials } = await scene({ count: 2 });
    const asked = state.heads;
    streams.take(record(4));
    await pass(260);
    expect([state.heads, state.ranges]).toEqual([asked, 1]);
    await pass(100);
    expect(state.heads).toBeGreaterThan(asked);
    state.count = 4;
    await pass(100);
    expect(serials()).toEqual([3, 4]);
  });

  it('gets what was committed before the store was asked where it stands, and handed over only then', async () => {
    const { streams, serials } = await scene({ count: 3, handedOver: 1 });
    for (const serial of [1, 2, 3, 4]) streams.take(record(serial));
    expect(serials()).toEqual([2, 3, 4]);
  });

  it('gets the newest one too that did not come, without anything that follows', async () => {
    const { state, serials } = await scene({ count: 2 });
    state.count = 3;
    await pass(6000);
    expect(serials()).toEqual([3]);
  });

  it('does not wait for what the store cannot give', async () => {
    const { streams, state, serials, told } = await scene({ count: 2 });
    state.isAway = true;
    streams.take(record(4));
    await pass(1900);
    expect(serials()).toEqual([]);
    await pass(300);
    expect([serials(), told.at(-1)]).toEqual([[4], 'given_up']);
  });

  it('gives up nothing because this process stood still', async () => {
    const { streams, state, serials, told } = await scene({ count: 3 });
    state.isAway = true;
    streams.take(record(5));
    await pass(1000);
    vi.setSystemTime(Date.now() + 10_000);
    await pass(700);
    expect([serials(), told.includes('given_up')]).toEqual([[], false]);
    state.isAway = false;
    state.count = 5;
    await pass(50);
    expect(serials()).toEqual([4, 5]);
    expect(told.at(-1)).toBe('fetched');
  });

  it('gets the newest one whenever it can be had, though the store was away for long after it told of it', async () => {
    const { state, serials, told, streams } = await scene({ count: 2 });
    state.count = 3;
    await pass(5000);
    state.isAway = true;
    await pass(12_000);
    expect(serials()).toEqual([]);
    expect(told).not.toContain('given_up');
    state.isAway = false;
    streams.take(record(3));
    streams.take(record(4));
    expect(serials()).toEqual([3, 4]);
  });

  it('gets what comes though nobody could say where it stands', async () => {
    const { streams, state, serials } = await scene();
    streams.leave('shop', 'orders');
    state.isAway = true;
    streams.follow('shop', 'orders');
    streams.take(record(7));
    await pass(2900);
    expect(serials()).toEqual([]);
    await pass(300);
    streams.take(record(8));
    expect(serials()).toEqual([7, 8]);
  });

  it('is reported when the store has lost what was delivered', async () => {
    const { streams, state, told } = await scene({ count: 2 });
    state.count = 4;
    for (const serial of [3, 4]) streams.take(record(serial));
    state.count = 3;
    await pass(6000);
    expect(told).toEqual(['regressed 5 4']);
  });

  it('is reported when the store has another past, once in a while, and gets that too', async () => {
    const { streams, state, told, delivered } = await scene({ count: 2 });
    state.count = 9;
    for (const serial of [3, 4, 5, 6]) streams.take(record(serial));
    for (const serial of [4, 4, 5]) streams.take(otherwise(serial));
    streams.take(record(5));
    expect(told).toEqual([`regressed 7 6 by ${STREAM} 6 and 4 ${STREAM} 4`]);
    expect(delivered.slice(4).map(({ message_id: id }) => id)).toEqual(['otherwise 4', 'otherwise 5']);
    await pass(5000);
    streams.take(otherwise(6));
    expect(told.filter((one) => one.startsWith('regressed'))).toHaveLength(2);
  });

  it('asks nothing more when nobody has it', async () => {
    const { streams, state, serials } = await scene({ count: 2 });
    streams.leave('shop', 'orders');
    const { heads } = state;
    streams.take(record(4));
    await pass(12_000);
    expect([serials(), state.heads]).toEqual([[], heads]);
    streams.stop();
  });

  it('gets records as they come where there is no way to the store', async () => {
    const { streams, serials } = await scene({ reads: false });
    for (const serial of [4, 4, 3, 5]) streams.take(record(serial));
    expect(serials()).toEqual([4, 5]);
  });
});
