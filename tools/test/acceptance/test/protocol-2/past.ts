import { expect, it } from 'vitest';
import { positionOf } from '../harness/client-v2.js';
import { heard, news, type Place, placed } from './place.js';

/** A page of a history as a client is given it. */
interface Page {
  readonly items: readonly { readonly serial: number; readonly message: { readonly data: unknown } }[];
  readonly next_cursor: string | null;
  readonly bounds: Readonly<Record<string, unknown>>;
}

const REWOUND = {
  historical_count: 2,
  live_count: 0,
  complete: true,
  truncated_by_retention: false,
  truncated_by_limit: false,
};
const numbers = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, n) => `${from + n}`);
/** Texts with serials that are the same number. */
const inOrder = (from: number, to: number): string[] => numbers(from, to).map((n) => `${n} ${n}`);

/** What comes back to who was away. */
export function returning(place: Place): void {
  it('replays at any gateway exactly what was missed, in order and as it was, then goes on live', async () => {
    const channel = place.name('orders');
    const watcher = await place.connect(0);
    const begin = positionOf(await watcher.subscribe(channel));
    expect(begin.serial).toBe(0);
    await place.publish(channel, ...numbers(1, 4), 'last');
    const original = news(await heard(watcher));
    for (const gateway of [0, 1] as const) {
      const client = await place.connect(gateway);
      await client.subscribe(channel);
      const { frames, answer } = await client.resume({ [channel]: { ...begin, serial: 1 } });
      expect([placed(frames), answer.failed]).toEqual([[...inOrder(2, 4), 'last 5'], []]);
      expect(frames.slice(0, 3)).toEqual(original.slice(1));
      expect(answer).toMatchObject({
        recovered: [{ channel, replayed: 4, position: { ...begin, serial: 5 } }],
        failed: [],
      });
    }
    const live = await place.connect(1);
    await live.subscribe(channel);
    const { answer } = await live.resume({ [channel]: { ...begin, serial: 5 } });
    expect(answer.recovered).toMatchObject([{ replayed: 0, position: { ...begin, serial: 5 } }]);
    await place.publish(channel, '6');
    expect(placed([await live.next()])).toEqual(['6 6']);
  });

  it('says of each channel what cannot be recovered, before its first message', async () => {
    const channel = place.name('many');
    const [client, other] = await place.both();
    const begin = positionOf(await client.subscribe(channel));
    await other.subscribe(channel);
    await place.publish(channel, ...numbers(1, 20), 'last');
    await heard(client);
    await heard(other);
    for (const [position, code, reason] of [
      [begin, 'position_expired', 'recovery_window_exceeded'],
      [{ ...begin, stream_id: 'another' }, 'stream_reset', 'stream_id_mismatch'],
      [{ ...begin, serial: 22 }, 'continuity_unverifiable', 'position_ahead_of_durable_stream'],
    ] as const) {
      const { frames, answer } = await other.resume({ [channel]: position });
      expect(frames.map(({ event }) => event)).toEqual(['service:resume_failed']);
      expect(answer.recovered).toEqual([]);
      expect(answer.failed).toMatchObject([{ channel, code, reason }]);
      expect(JSON.parse(String(frames[0]?.data))).toEqual(answer.failed[0]);
    }
    for (const channel_positions of [
      {},
      Object.fromEntries(numbers(1, 1001).map((n) => [n, { serial: 1 }])),
    ]) {
      other.send({ event: 'service:resume', data: { channel_positions } });
      expect(await other.next()).toMatchObject({ event: 'service:error', data: { code: 4302 } });
    }
  });

  it('keeps a position for a subscription that comes later, and gives nobody else what it holds', async () => {
    const channel = place.name('private-x');
    const member = await place.connect(0);
    const begin = positionOf(await member.subscribe(channel));
    await place.publish(channel, 'a', 'b');
    const client = await place.connect(1);
    client.askResume({ [channel]: begin });
    const [answer, ...more] = await client.pending();
    expect([JSON.parse(String(answer?.data)), more]).toEqual([{ recovered: [], failed: [] }, []]);
    await client.subscribe(channel);
    expect(placed(await client.through('service:resume_success'))).toEqual(['a 1', 'b 2']);
  });

  it('has nothing of it for protocol 1', async () => {
    const channel = place.name('plain');
    const old = await place.old(1);
    expect(JSON.parse(await old.subscribe(channel))).toMatchObject({ channel, data: '{}' });
    old.send({ event: 'pusher:resume', data: { channel_serials: { [channel]: 0 } } });
    expect((await old.nextError()).data.code).toBe(4301);
    old.send({ event: 'pusher:channel_history', data: { channel } });
    expect((await old.nextError()).data.code).toBe(4000);
  });
}

/** What a history gives: a past to begin with, and pages. */
export function remembering(place: Place): void {
  it('begins with the past, as much as is wanted, and says how that went', async () => {
    const channel = place.name('past');
    await place.publish(channel, ...numbers(1, 5));
    const client = await place.connect(1);
    const success = await client.subscribe(channel, { rewind: 2 });
    expect(JSON.parse(String(success.data))).toEqual({ attach_serial: 5 });
    const frames = await client.through('service:rewind_complete');
    expect(placed(frames)).toEqual(inOrder(4, 5));
    expect(frames.at(-1)).toMatchObject({ channel, data: REWOUND });
    await client.subscribe(channel, { rewind: { seconds: 60 } });
    expect(placed(await client.through('service:rewind_complete'))).toEqual(inOrder(1, 5));
    const many = place.name('many');
    for (const part of [0, 50, 100]) {
      const batch = numbers(part + 1, part + 50).map((data) => ({ name: 'news', channel: many, data }));
      await place.post('/batch_events', { batch });
    }
    await client.subscribe(many, { rewind: { seconds: 60 } });
    const newest = await client.through('service:rewind_complete');
    expect(placed(newest)).toEqual(inOrder(51, 150));
    const cut = { ...REWOUND, historical_count: 100, complete: false, truncated_by_limit: true };
    expect(newest.at(-1)).toMatchObject({ channel: many, data: cut });
    for (const rewind of [0, 'abc', {}, -1])
      expect(await client.refused(channel, { rewind })).toEqual([4000, 400]);
    const old = await place.old(1);
    old.ask(channel, { rewind: 1 });
    expect((await old.nextError()).data.code).toBe(4300);
  });

  it('replays nothing that was purged, though it was told a moment ago', async () => {
    const channel = place.name('purged');
    const watcher = await place.connect(1);
    const begin = positionOf(await watcher.subscribe(channel));
    await place.publish(channel, ...numbers(1, 3), 'last');
    await heard(watcher);
    const body = { confirm_channel: channel, confirm_operation: 'purge', reason: 'r' };
    const before = { ...body, mode: 'before_serial', before_serial: 3 };
    await place.post(`/channels/${channel}/history/purge`, before);
    // Told in the order of the stream, behind the purge.
    await place.publish(channel, 'last');
    await heard(watcher);
    const { frames, answer } = await watcher.resume({ [channel]: { ...begin, serial: 1 } });
    expect(news(frames)).toEqual([]);
    expect(answer.failed).toMatchObject([{ code: 'position_expired' }]);
    const later = await watcher.resume({ [channel]: { ...begin, serial: 2 } });
    expect(placed(later.frames)).toEqual(['3 3', 'last 4', 'last 5']);
  });

  it('shows what is published meanwhile after the past, once', async () => {
    const channel = place.name('busy');
    await place.publish(channel, ...numbers(1, 3));
    const clients = await place.both();
    const publishing = Promise.all(numbers(4, 20).map((n) => place.publish(channel, n)));
    for (const client of clients) await client.subscribe(channel, { rewind: 50 });
    await publishing;
    await place.publish(channel, 'last');
    for (const client of clients) {
      const serials = news(await heard(client)).map(({ serial }) => serial);
      expect(serials).toEqual(numbers(1, 20).map(Number));
    }
  });

  it('gives pages up to where a subscription began, which a later filter does not change', async () => {
    const channel = place.name('pages');
    await place.publish(channel, ...numbers(1, 5));
    const client = await place.connect(1);
    await client.subscribe(channel);
    await place.publish(channel, 'last');
    await heard(client);
    const ask = async (params: object): Promise<Page> => {
      client.send({ event: 'service:channel_history', data: { channel, params } });
      const { event, data } = await client.next();
      expect(event).toBe('service:channel_history');
      return data as Page;
    };
    const until = { until_attach: true };
    const first = await ask({ ...until, limit: 2 });
    expect(first.items.map(({ serial }) => serial)).toEqual([5, 4]);
    expect(first.bounds).toMatchObject({ end_serial: 5, attach_serial: 5, ...until });
    const second = await ask({ ...until, limit: 9, cursor: first.next_cursor });
    expect(second.items.map(({ message }) => message.data)).toEqual(['3', '2', '1']);
    const all = await ask({ direction: 'forwards', limit: 5000 });
    expect(all.items).toHaveLength(6);
    for (const data of [
      { cursor: 'wrong' },
      { limit: 0 },
      { direction: 'sideways' },
      { start_serial: 5, end_serial: 4 },
    ]) {
      client.send({ event: 'channel_history', data: { channel, ...data } });
      expect(await client.next()).toMatchObject({ event: 'service:error', data: { code: 4000 } });
    }
    client.send({ event: 'channel_history', data: { channel: place.name('other') } });
    expect(await client.next()).toMatchObject({ event: 'service:error', data: { code: 4301 } });
  });
}

/** What no history gives. */
export function forgetting(place: Place): void {
  it('refuses a past where there is none', async () => {
    const client = await place.connect(1);
    const channel = place.name('orders');
    expect(await client.refused(channel, { rewind: 1 })).toEqual([4300, 400]);
    expect(JSON.parse(String((await client.subscribe(channel)).data))).toEqual({});
    client.send({ event: 'service:channel_history', data: { channel } });
    expect(await client.next()).toMatchObject({ event: 'service:error', data: { code: 4300 } });
  });
}
