import { describe, expect, it } from 'vitest';
import { HOUR_MS, type OpenStore, scanAll, withStore } from './store.js';

const SOON_MS = 40;
/** Time enough for a few calls to a busy server. */
const A_WHILE_MS = 2000;

/** Lifetime of entries. */
export function expiryConformance(open: OpenStore): void {
  describe('expiry', () => {
    it(
      'ends with the time of each entry, for every way of reading',
      withStore(open, async ({ cache, pass }) => {
        await cache.set('set', '1', SOON_MS);
        await cache.setIfAbsent('claim', '1', SOON_MS);
        await cache.incrementBy('counter', 1, SOON_MS);
        await cache.set('swapped', '1', HOUR_MS);
        await cache.compareAndSwap('swapped', '1', '2', SOON_MS);
        await cache.set('stays', '1', HOUR_MS);
        await pass(SOON_MS + 5);
        for (const name of ['set', 'claim', 'counter', 'swapped']) {
          expect(await cache.get(name)).toBeNull();
          expect(await cache.has(name)).toBe(false);
          expect(await cache.entry(name)).toBeNull();
          expect(await cache.remove(name)).toBe(false);
        }
        expect(await cache.get('stays')).toBe('1');
        expect(await scanAll(cache, '')).toEqual(['stays']);
      }),
    );

    it(
      'makes an expired entry as good as none for every condition',
      withStore(open, async ({ cache, pass }) => {
        await cache.set('a', '5', SOON_MS);
        await pass(SOON_MS + 5);
        expect(await cache.compareAndSwap('a', '5', '6', HOUR_MS)).toBe(false);
        expect(await cache.compareAndRemove('a', '5')).toBe(false);
        expect(await cache.incrementBy('a', 2, SOON_MS)).toBe(2);
        await pass(SOON_MS + 5);
        expect(await cache.setIfAbsent('a', '7', HOUR_MS)).toBe(true);
        expect(await cache.get('a')).toBe('7');
      }),
    );

    it(
      'tells the time left, never more than was given and never 0',
      withStore(open, async ({ cache }) => {
        await cache.set('a', '1', HOUR_MS);
        const left = (await cache.entry('a'))?.ttlMs ?? 0;
        expect(left).toBeGreaterThan(HOUR_MS - 60_000);
        expect(left).toBeLessThanOrEqual(HOUR_MS);
        expect(Number.isInteger(left)).toBe(true);
      }),
    );

    it(
      'keeps entries with a ttl of 0 for good',
      withStore(open, async ({ cache, pass }) => {
        await cache.set('set', '1', 0);
        await cache.setIfAbsent('claim', '1', 0);
        await cache.incrementBy('counter', 1, 0);
        await cache.set('swapped', 'x', HOUR_MS);
        await cache.compareAndSwap('swapped', 'x', '1', 0);
        await pass(SOON_MS);
        for (const name of ['set', 'claim', 'counter', 'swapped']) {
          expect(await cache.entry(name)).toEqual({ value: '1', ttlMs: null });
        }
      }),
    );

    it(
      'gives a written entry its new time, shorter, longer or endless',
      withStore(open, async ({ cache, pass }) => {
        await cache.set('shorter', '1', HOUR_MS);
        await cache.set('shorter', '2', SOON_MS);
        await cache.set('longer', '1', SOON_MS);
        await cache.set('longer', '2', HOUR_MS);
        await cache.set('endless', '1', SOON_MS);
        await cache.set('endless', '2', 0);
        await pass(SOON_MS + 5);
        expect(await cache.get('shorter')).toBeNull();
        expect(await cache.get('longer')).toBe('2');
        expect(await cache.entry('endless')).toEqual({ value: '2', ttlMs: null });
      }),
    );

    it(
      'gives an entry that is as it was expected its new time, though its value stays, and none to one that has gone',
      withStore(open, async ({ cache, other }) => {
        await cache.set('a', '1', HOUR_MS / 2);
        expect(await other.compareAndSwap('a', '1', '1', HOUR_MS)).toBe(true);
        const { value, ttlMs } = (await cache.entry('a')) ?? {};
        expect(value).toBe('1');
        expect(ttlMs).toBeGreaterThan(HOUR_MS / 2);
        await cache.remove('a');
        expect(await other.compareAndSwap('a', '1', '1', HOUR_MS)).toBe(false);
        expect(await cache.has('a')).toBe(false);
      }),
    );

    it(
      'gives an entry written without a time the default, which this suite sets to an hour',
      withStore(open, async ({ cache }) => {
        await cache.set('a', '1');
        const left = (await cache.entry('a'))?.ttlMs ?? 0;
        expect(left).toBeGreaterThan(HOUR_MS - 60_000);
        expect(left).toBeLessThanOrEqual(HOUR_MS);
      }),
    );

    it(
      'does not renew an entry by a condition that failed, a claim that was lost, or an addition',
      withStore(open, async ({ cache, pass }) => {
        await cache.set('a', '1', A_WHILE_MS);
        expect(await cache.setIfAbsent('a', '2', HOUR_MS)).toBe(false);
        expect(await cache.compareAndSwap('a', 'x', '2', HOUR_MS)).toBe(false);
        await cache.incrementBy('a', 1, HOUR_MS);
        await pass(A_WHILE_MS);
        expect(await cache.get('a')).toBeNull();
      }),
    );
  });
}
