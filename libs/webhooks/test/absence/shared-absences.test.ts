import { MemoryCache } from '@carillon/cache';
import * as fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { SETTLE_MS } from '../../src/absence/absences.js';
import { CacheNotices } from '../../src/absence/cache-notices.js';
import { SharedAbsences, type Notices } from '../../src/absence/shared-absences.js';
import { ManualClock, turn } from '../manual-clock.js';

const caches: MemoryCache[] = [];
afterEach(async () => {
  for (const cache of caches.splice(0)) await cache.close();
});

/** Processes with a shared cache, and their occupants. */
function processes(
  count: number,
  { maxOpen, isAway = () => false }: { maxOpen?: number; isAway?: () => boolean } = {},
) {
  const clock = new ManualClock();
  const cache = new MemoryCache({ capacity: 1000, defaultTtlMs: 0, cleanupIntervalMs: 60_000 });
  caches.push(cache);
  const present = new Map<string, number>();
  const told: string[] = [];
  const troubles: string[] = [];
  const shared = new CacheNotices(cache);
  const orAway = async <Value>(value: Promise<Value>): Promise<Value> => {
    if (isAway()) throw new Error('away');
    return value;
  };
  const notices: Notices = {
    begin: () => orAway(shared.begin()),
    came: (key, serial, isAgain) => orAway(shared.came(key, serial, isAgain)),
    went: (key, serial) => orAway(shared.went(key, serial)),
    gone: (key, serial) => orAway(shared.gone(key, serial)),
  };
  const all = Array.from(
    { length: count },
    () =>
      new SharedAbsences<string>(
        {
          keyOf: (place) => place,
          isGone: async (place) => (present.get(place) ?? 0) === 0,
          tell: (place, what) => told.push(`${what === 'came' ? '+' : '-'}${place}`),
          notices,
          onTrouble: (what) => troubles.push(what),
        },
        clock,
        maxOpen,
      ),
  );
  const at = (index: number): SharedAbsences<string> => {
    const found = all[index % all.length];
    if (found === undefined) throw new Error('no process');
    return found;
  };
  let serial = 0;
  const change = (index: number, place: string, by: 1 | -1): void => {
    const before = present.get(place) ?? 0;
    present.set(place, before + by);
    if (before === 0) at(index).came(place, { serial: (serial += 1) });
    if (before + by === 0) at(index).went(place, { serial: (serial += 1) });
  };
  return { clock, told, troubles, present, all, at, change };
}

describe('who comes and goes, over processes', () => {
  it('is told at once to have come, and by one process to have gone after three seconds', async () => {
    const { change, clock, told, all } = processes(2);
    change(0, 'a', 1);
    await turn();
    expect(told).toEqual(['+a']);
    change(1, 'a', -1);
    await clock.pass(SETTLE_MS - 1);
    expect(told).toEqual(['+a']);
    await clock.pass(1);
    expect(told).toEqual(['+a', '-a']);
    expect([all.map(({ size }) => size), clock.timers]).toEqual([[0, 0], 0]);
  });

  it('and comes back elsewhere within three seconds was never gone', async () => {
    const { change, clock, told } = processes(3);
    change(0, 'a', 1);
    for (let at = 0; at < 6; at += 1) {
      await clock.pass(100);
      change(at, 'a', -1);
      await clock.pass(SETTLE_MS - 200);
      change(at + 1, 'a', 1);
    }
    await clock.pass(60_000);
    expect(told).toEqual(['+a']);
    change(1, 'a', -1);
    await clock.pass(SETTLE_MS);
    expect(told).toEqual(['+a', '-a']);
  });

  it('is told alike when a process hears late that somebody went', async () => {
    const { at, present, clock, told } = processes(2);
    at(0).came('a', { serial: 1 });
    await turn();
    present.set('a', 1);
    at(1).came('a', { serial: 3 });
    await turn();
    at(0).went('a', { serial: 2 });
    await clock.pass(10_000);
    expect(told).toEqual(['+a']);
    present.set('a', 0);
    at(1).went('a', { serial: 4 });
    await clock.pass(SETTLE_MS);
    expect(told).toEqual(['+a', '-a']);
  });

  it('is told by each process for itself while the others cannot be reached', async () => {
    let isAway = true;
    const { change, clock, told, troubles } = processes(1, { isAway: () => isAway });
    change(0, 'a', 1);
    await turn();
    expect(told).toEqual(['+a']);
    change(0, 'a', -1);
    await clock.pass(2 * SETTLE_MS);
    expect(told).toEqual(['+a']);
    await clock.pass(SETTLE_MS);
    expect(told).toEqual(['+a', '-a']);
    expect(troubles.length).toBeGreaterThan(0);
    isAway = false;
    change(0, 'a', 1);
    await turn();
    expect(told.length).toBeGreaterThanOrEqual(2);
  });

  it('is gone at once when too much is unsettled', async () => {
    const { change, told, clock } = processes(1, { maxOpen: 1 });
    for (const place of ['a', 'b']) change(0, place, 1);
    await turn();
    for (const place of ['a', 'b']) change(0, place, -1);
    await turn();
    expect(told).toEqual(['+a', '+b', '-b']);
    await clock.pass(SETTLE_MS);
    expect(told).toEqual(['+a', '+b', '-b', '-a']);
  });

  it('alternates, is never told gone before three seconds have passed, and ends as it is', async () => {
    const step = fc.record({
      waitMs: fc.nat({ max: 6000 }),
      process: fc.nat({ max: 2 }),
      comes: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const { change, clock, told, present, all } = processes(3);
        let leftAtMs = -Infinity;
        const expected: string[] = [];
        const leave = (nowMs: number): void => {
          if ((present.get('a') ?? 0) > 0 || nowMs - leftAtMs < SETTLE_MS || expected.at(-1) !== '+a') return;
          expected.push('-a');
        };
        for (const { waitMs, process, comes } of steps) {
          await clock.pass(waitMs);
          leave(clock.now());
          const before = present.get('a') ?? 0;
          if (!comes && before === 0) continue;
          change(process, 'a', comes ? 1 : -1);
          if (comes && expected.at(-1) !== '+a') expected.push('+a');
          if (!comes && before === 1) leftAtMs = clock.now();
          await turn();
        }
        await clock.pass(SETTLE_MS);
        leave(clock.now());
        expect(told).toEqual(expected);
        expect(all.map(({ size }) => size)).toEqual([0, 0, 0]);
      }),
      { numRuns: 100 },
    );
  });
});

const open = (): MemoryCache => {
  const cache = new MemoryCache({ capacity: 1000, defaultTtlMs: 0, cleanupIntervalMs: 60_000 });
  caches.push(cache);
  return cache;
};

/** A way to a store that may be another one after a while. */
const scene = () => {
  let store = open();
  const current: ConstructorParameters<typeof CacheNotices>[0] = {
    get: (name) => store.get(name),
    set: (name, value, ttlMs) => store.set(name, value, ttlMs),
    setIfAbsent: (name, value, ttlMs) => store.setIfAbsent(name, value, ttlMs),
    compareAndSwap: (name, before, after, ttlMs) => store.compareAndSwap(name, before, after, ttlMs),
    compareAndRemove: (name, value) => store.compareAndRemove(name, value),
  };
  const lose = (): void => void (store = open());
  return { first: new CacheNotices(current), second: new CacheNotices(current), lose };
};

describe('a store that comes back empty', () => {
  it('is told again who is there, and nobody else is', async () => {
    const { first, second, lose } = scene();
    await second.begin();
    expect(await first.came('a', 1, false)).toBe(true);
    lose();
    expect([await second.came('b', 2, true), await first.came('a', 3, true)]).toEqual([false, false]);
    expect(await first.came('new', 4, false)).toBe(true);
  });

  it('is not taken for one that forgot somebody who was told to have gone', async () => {
    const { first, second } = scene();
    expect(await first.came('a', 1, false)).toBe(true);
    await second.went('a', 2);
    expect(await second.gone('a', 2)).toBe(true);
    expect(await first.came('a', 3, true)).toBe(true);
  });
});
