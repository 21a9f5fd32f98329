import { describe, expect, it } from 'vitest';
import { HOUR_MS, type OpenStore, type Store, withStore } from './store.js';

const RIVALS = 40;

/** The same attempt from two processes at once; the results in the order of the attempts. */
const race = <Result>(
  { cache, other }: Store,
  attempt: (from: Store['cache'], index: number) => Promise<Result>,
) =>
  Promise.all(Array.from({ length: RIVALS }, (_, index) => attempt(index % 2 === 0 ? cache : other, index)));

/** Claims and comparisons, also when many try at once. */
export function conditionsConformance(open: OpenStore): void {
  describe('conditions', () => {
    it(
      'creates only what is absent',
      withStore(open, async ({ cache, other }) => {
        expect(await cache.setIfAbsent('a', '1', HOUR_MS)).toBe(true);
        expect(await other.setIfAbsent('a', '2', HOUR_MS)).toBe(false);
        expect(await cache.get('a')).toBe('1');
        await cache.remove('a');
        expect(await other.setIfAbsent('a', '3', HOUR_MS)).toBe(true);
      }),
    );

    it(
      'swaps and removes only the expected value',
      withStore(open, async ({ cache }) => {
        expect(await cache.compareAndSwap('a', '', '1', HOUR_MS)).toBe(false);
        expect(await cache.has('a')).toBe(false);
        await cache.set('a', '1', HOUR_MS);
        expect(await cache.compareAndSwap('a', '2', '3', HOUR_MS)).toBe(false);
        expect(await cache.compareAndRemove('a', '2')).toBe(false);
        expect(await cache.get('a')).toBe('1');
        expect(await cache.compareAndSwap('a', '1', '2', HOUR_MS)).toBe(true);
        expect(await cache.compareAndRemove('a', '2')).toBe(true);
        expect(await cache.compareAndRemove('a', '2')).toBe(false);
      }),
    );

    it(
      'lets one of many claim',
      withStore(open, async (store) => {
        const won = await race(store, (from, index) => from.setIfAbsent('a', String(index), HOUR_MS));
        expect(won.filter(Boolean)).toHaveLength(1);
        expect(await store.cache.get('a')).toBe(String(won.indexOf(true)));
      }),
    );

    it(
      'lets one of many swap, and one of many remove',
      withStore(open, async (store) => {
        await store.cache.set('a', 'free', HOUR_MS);
        const swapped = await race(store, (from, index) =>
          from.compareAndSwap('a', 'free', String(index), HOUR_MS),
        );
        expect(swapped.filter(Boolean)).toHaveLength(1);
        const value = String(swapped.indexOf(true));
        const removed = await race(store, (from) => from.compareAndRemove('a', value));
        expect(removed.filter(Boolean)).toHaveLength(1);
      }),
    );

    it(
      'loses no addition',
      withStore(open, async (store) => {
        const sums = await race(store, (from) => from.incrementBy('a', 3, HOUR_MS));
        expect(sums.sort((one, two) => one - two)).toEqual(
          Array.from({ length: RIVALS }, (_, index) => 3 * (index + 1)),
        );
        expect(await store.cache.get('a')).toBe(String(3 * RIVALS));
      }),
    );
  });
}
