import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Cache } from '../../src/index.js';
import { HOUR_MS, type OpenStore } from './store.js';

type Operation = (cache: Cache, model: Map<string, string>) => Promise<void>;

const name = fc.constantFrom('a', 'b', 'app:x:idempotency:c');
const value = fc.constantFrom('1', '2', '-3', 'x');

/** One operation done to the cache and, in the plainest way, to a map; both must answer the same. */
const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.tuple(name, value).map(([key, next]): Operation => async (cache, model) => {
    await cache.set(key, next, HOUR_MS);
    model.set(key, next);
  }),
  name.map((key): Operation => async (cache, model) => {
    expect(await cache.get(key)).toBe(model.get(key) ?? null);
  }),
  name.map((key): Operation => async (cache, model) => {
    expect(await cache.remove(key)).toBe(model.delete(key));
  }),
  fc.tuple(name, value).map(([key, next]): Operation => async (cache, model) => {
    const absent = !model.has(key);
    if (absent) model.set(key, next);
    expect(await cache.setIfAbsent(key, next, HOUR_MS)).toBe(absent);
  }),
  fc.tuple(name, value, value).map(([key, expected, next]): Operation => async (cache, model) => {
    const equal = model.get(key) === expected;
    if (equal) model.set(key, next);
    expect(await cache.compareAndSwap(key, expected, next, HOUR_MS)).toBe(equal);
  }),
  fc.tuple(name, value).map(([key, expected]): Operation => async (cache, model) => {
    const equal = model.get(key) === expected;
    if (equal) model.delete(key);
    expect(await cache.compareAndRemove(key, expected)).toBe(equal);
  }),
  fc.tuple(name, fc.integer()).map(([key, amount]): Operation => async (cache, model) => {
    const sum = Number(model.get(key) ?? '0') + amount;
    if (Number.isNaN(sum)) {
      await expect(cache.incrementBy(key, amount, HOUR_MS)).rejects.toThrow('not an integer');
      return;
    }
    model.set(key, String(sum));
    expect(await cache.incrementBy(key, amount, HOUR_MS)).toBe(sum);
  }),
);

/** Any sequence of operations answers as a plain map does. */
export function modelConformance(open: OpenStore): void {
  describe('model', () => {
    it('answers any sequence of operations as a map would', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(operation, { maxLength: 40 }), async (operations) => {
          const { cache, end } = await open();
          try {
            const model = new Map<string, string>();
            for (const one of operations) await one(cache, model);
            const { names } = await cache.scanPrefix('', null, 100);
            expect([...names].sort()).toEqual([...model.keys()].sort());
          } finally {
            await end();
          }
        }),
        { numRuns: 50 },
      );
    });
  });
}
