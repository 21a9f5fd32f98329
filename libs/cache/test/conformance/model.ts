import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Cache, CacheValueNotInteger } from '../../src/index.js';
import { HOUR_MS, type OpenStore, scanAll } from './store.js';

/** One operation, as the cache does it and as a plain map would; both must answer the same. */
interface Operation {
  readonly cache: (cache: Cache) => Promise<unknown>;
  readonly model: (model: Map<string, string>) => unknown;
}

const NOT_INTEGER = 'not an integer';

const add = async (cache: Cache, key: string, amount: number): Promise<unknown> => {
  try {
    return await cache.incrementBy(key, amount, HOUR_MS);
  } catch (thrown) {
    if (thrown instanceof CacheValueNotInteger) return NOT_INTEGER;
    throw thrown;
  }
};

const addToModel = (model: Map<string, string>, key: string, amount: number): unknown => {
  const sum = Number(model.get(key) ?? '0') + amount;
  if (Number.isNaN(sum)) return NOT_INTEGER;
  model.set(key, String(sum));
  return sum;
};

const name = fc.constantFrom('a', 'b', 'app:x:idempotency:c');
const value = fc.constantFrom('1', '2', '-3', 'x');

const operation = fc.oneof(
  fc.tuple(name, value).map(([key, next]): Operation => ({
    cache: (cache) => cache.set(key, next, HOUR_MS),
    model: (model) => void model.set(key, next),
  })),
  name.map((key): Operation => ({
    cache: (cache) => cache.get(key),
    model: (model) => model.get(key) ?? null,
  })),
  name.map((key): Operation => ({
    cache: (cache) => cache.remove(key),
    model: (model) => model.delete(key),
  })),
  fc.tuple(name, value).map(([key, next]): Operation => ({
    cache: (cache) => cache.setIfAbsent(key, next, HOUR_MS),
    model: (model) => !model.has(key) && model.set(key, next).has(key),
  })),
  fc.tuple(name, value, value).map(([key, expected, next]): Operation => ({
    cache: (cache) => cache.compareAndSwap(key, expected, next, HOUR_MS),
    model: (model) => model.get(key) === expected && model.set(key, next).has(key),
  })),
  fc.tuple(name, value).map(([key, expected]): Operation => ({
    cache: (cache) => cache.compareAndRemove(key, expected),
    model: (model) => model.get(key) === expected && model.delete(key),
  })),
  fc.tuple(name, fc.integer()).map(([key, amount]): Operation => ({
    cache: (cache) => add(cache, key, amount),
    model: (model) => addToModel(model, key, amount),
  })),
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
            for (const one of operations) expect(await one.cache(cache)).toEqual(one.model(model));
            const names = new Set(await scanAll(cache, ''));
            expect([...names].sort()).toEqual([...model.keys()].sort());
          } finally {
            await end();
          }
        }),
        { numRuns: 30 },
      );
    });
  });
}
