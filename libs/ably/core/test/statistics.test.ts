import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CompatError } from '../src/compat-error.js';
import { Buckets } from '../src/statistics/buckets.js';
import { type Entries, merged, nested, withSums } from '../src/statistics/entries.js';
import { readFixtures } from '../src/statistics/fixtures.js';
import { boundsOf, endOf, intervalOf, startOf, UNITS } from '../src/statistics/intervals.js';
import { type Minute, type Seen, withSeen } from '../src/statistics/minute.js';
import { readStats } from '../src/statistics/query.js';
import { Recorder } from '../src/statistics/recorder.js';
import { Tallies } from '../src/statistics/tallies.js';

/** The cache in a map. */
class Kept {
  readonly values = new Map<string, string>();
  async get(name: string): Promise<string | null> {
    // Others have their turn meanwhile, as with a store that is elsewhere.
    await new Promise((later) => setImmediate(later));
    return this.values.get(name) ?? null;
  }
  async setIfAbsent(name: string, value: string): Promise<boolean> {
    if (this.values.has(name)) return false;
    this.values.set(name, value);
    return true;
  }
  async compareAndSwap(name: string, expected: string, value: string): Promise<boolean> {
    if (this.values.get(name) !== expected) return false;
    this.values.set(name, value);
    return true;
  }
}

const item = (more: object): object => ({ intervalId: '2025-06-15:14:05', ...more });

const OPTIONS = { process: 'one', retentionMs: 86_400_000, retries: 8 };
const seen = (entries: Entries): Seen => ({ entries, levels: null });
const at = (id: string): number => startOf(id) ?? Number.NaN;

describe('intervals', () => {
  it('are named for when they begin, and end where the next one begins', () => {
    const time = fc.integer({ min: 0, max: 4_000_000_000_000 });
    fc.assert(
      fc.property(time, fc.constantFrom(...UNITS), (ms, unit) => {
        const start = at(intervalOf(ms, unit));
        expect(start).toBeLessThanOrEqual(ms);
        expect(endOf(start, unit)).toBeGreaterThan(ms);
        expect(intervalOf(endOf(start, unit) - 1, unit)).toBe(intervalOf(ms, unit));
        expect(boundsOf(String(ms), unit)).toEqual({ fromMs: start, untilMs: endOf(start, unit) });
      }),
    );
  });

  it('of a time that no id can name are the last there are', () => {
    expect(boundsOf('9'.repeat(15), 'day')).toEqual(boundsOf('9999-12-31', 'day'));
  });

  it('are none where the calendar has no such', () => {
    for (const id of ['', '2025', '2025-02-30', '2025-13', '2025-06-15:24', '2025-06-15:14:60', 'x'])
      expect([id, startOf(id)]).toEqual([id, null]);
  });
});

it('entries add up, whatever came first, and peaks are the highest', () => {
  const entries = fc.dictionary(fc.constantFrom('a.count', 'b.peak', 'c.data'), fc.nat());
  fc.assert(
    fc.property(entries, entries, (one, other) => {
      expect(merged(one, other)).toEqual(merged(other, one));
    }),
  );
  expect(merged({ 'a.peak': 3, b: 1 }, { 'a.peak': 2, b: 2 })).toEqual({ 'a.peak': 3, b: 3 });
  const sums = withSums({
    'messages.inbound.rest.messages.count': 1,
    'messages.inbound.realtime.messages.count': 2,
  });
  expect(sums['messages.inbound.all.messages.count']).toBe(3);
  expect(nested(sums)).toMatchObject({
    inbound: { all: { messages: { count: 3 } }, rest: { messages: { count: 1 } } },
  });
});

it('fixtures are read whole or not at all', () => {
  expect(readFixtures(item({ inbound: { rest: { messages: { count: 3 } } } }))[0]?.entries).toMatchObject({
    'messages.inbound.rest.messages.count': 3,
    'messages.inbound.all.messages.count': 3,
  });
  // Null members count as absent, as in all bodies.
  expect(
    readFixtures(item({ inbound: null, connections: { all: { peak: null, opened: 1 } } }))[0]?.entries,
  ).toEqual({
    'connections.all.opened': 1,
  });
  const deep = Array.from({ length: 17 }).reduce<object>((inner) => ({ a: inner }), { a: 1 });
  for (const wrong of [
    null,
    { intervalId: '2025-06-15:14' },
    item({ inbound: -1 }),
    item({ inbound: 'x' }),
    item({ inbound: deep }),
    item({ ['n'.repeat(257)]: 1 }),
    item(Object.fromEntries(Array.from({ length: 2049 }, (_one, index) => [`n${index}`, 1]))),
  ])
    expect(() => readFixtures(wrong)).toThrow(CompatError);
});

it('minutes are found again, of both ends, and too many are refused', async () => {
  const buckets = new Buckets(new Kept(), OPTIONS);
  for (const minute of ['2025-06-15:14:05', '2025-06-15:14:06', '2025-06-16:00:00', '2025-07-01:00:00'])
    await buckets.add('a:b', at(minute), seen({ n: 1 }));
  await buckets.add('a:b', at('2025-06-15:14:05'), seen({ n: 1, 'x.peak': 4 }));
  const query = {
    appId: 'a:b',
    unit: 'day',
    fromMs: at('2025-06-15'),
    untilMs: at('2025-07-01'),
    newestFirst: true,
    limit: 1,
  } as const;
  const limits = { maxScan: 10, nowMs: at('2025-06-16:00:00') };
  const first = await readStats(buckets, query, limits);
  expect(first.intervals).toMatchObject([{ intervalId: '2025-06-16', inProgress: '2025-06-16:00:00' }]);
  const second = await readStats(buckets, { ...query, untilMs: first.lastMs ?? 0 }, limits);
  expect(second).toMatchObject({ lastMs: null, intervals: [{ entries: { n: 3, 'x.peak': 4 } }] });
  expect(second.intervals[0]).not.toHaveProperty('inProgress');
  await expect(readStats(buckets, { ...query, limit: 9 }, { ...limits, maxScan: 2 })).rejects.toMatchObject({
    code: 50_000,
  });
  expect((await readStats(buckets, { ...query, appId: 'a' }, limits)).intervals).toEqual([]);
});

it('what adds up is handed on as one observation, whatever it was added as', () => {
  const names = fc.constantFrom('n.count', 'n.peak', 'm.data');
  const parts = fc.array(fc.tuple(fc.constantFrom('a', 'b'), names, fc.nat(1000)), { minLength: 1 });
  fc.assert(
    fc.property(parts, (all) => {
      const observed: (readonly [string, Entries])[] = [];
      const tallies = new Tallies(60_000, (appId, entries) => void observed.push([appId, entries]));
      for (const [appId, name, value] of all) tallies.add(appId, name, value);
      tallies.flush();
      const folded = new Map<string, Entries>();
      for (const [appId, name, value] of all)
        folded.set(appId, merged(folded.get(appId) ?? {}, { [name]: value }));
      expect(new Map(observed)).toEqual(folded);
      expect(observed).toHaveLength(folded.size);
    }),
  );
});

it('a peak is the most that all processes had at once, as far as they told', () => {
  // For each process, its peak since its last report and its current value.
  const told = fc.record({
    process: fc.constantFrom('a', 'b', 'c'),
    more: fc.nat(5),
    level: fc.nat(20),
  });
  fc.assert(
    fc.property(fc.array(told, { minLength: 1 }), (all) => {
      const now = new Map<string, number>();
      let most = 0;
      let minute: Minute = { entries: {}, levels: {} };
      for (const { process, more, level } of all) {
        now.set(process, level + more);
        most = Math.max(
          most,
          [...now.values()].reduce((sum, one) => sum + one),
        );
        now.set(process, level);
        const entries = { n: 1, 'x.peak': level + more };
        minute = withSeen(minute, process, { entries, levels: { 'x.peak': level } });
      }
      expect(minute.entries).toEqual({ n: all.length, 'x.peak': most });
    }),
  );
  const other: Minute = { entries: { 'x.peak': 3 }, levels: { gone: { 'x.peak': 3 } } };
  // An observation without gauge values leaves them unchanged.
  expect(withSeen(other, 'a', seen({ n: 1 }))).toEqual({ ...other, entries: { 'x.peak': 3, n: 1 } });
});

it('an observation that finds no room is dropped and counted, and one that cannot be written holds nobody up', async () => {
  const broken = { add: () => Promise.reject(new Error('away')) };
  const recorder = new Recorder(broken, { capacity: 1, flushMs: 0 });
  await Promise.all([recorder.written('a', { n: 1 }), recorder.written('a', { n: 1 })]);
  expect(recorder.aggregation).toMatchObject({ dropped: 1, flushFailures: 1 });
});
