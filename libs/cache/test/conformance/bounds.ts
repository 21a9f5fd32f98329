import { describe, expect, it } from 'vitest';
import { type Cache, CacheUnavailable } from '../../src/index.js';
import { type OpenStore, withStore } from './store.js';

/** Every operation once. */
const OPERATIONS: Readonly<Record<string, (cache: Cache) => Promise<unknown>>> = {
  has: (cache) => cache.has('a'),
  get: (cache) => cache.get('a'),
  entry: (cache) => cache.entry('a'),
  set: (cache) => cache.set('a', '1', 0),
  remove: (cache) => cache.remove('a'),
  setIfAbsent: (cache) => cache.setIfAbsent('a', '1', 0),
  compareAndSwap: (cache) => cache.compareAndSwap('a', '1', '2', 0),
  compareAndRemove: (cache) => cache.compareAndRemove('a', '1'),
  incrementBy: (cache) => cache.incrementBy('a', 1, 0),
  scanPrefix: (cache) => cache.scanPrefix('', null, 1),
};

/** Reactions of every driver to invalid arguments and after its end, including the one that stores nothing. */
export function boundsConformance(open: OpenStore): void {
  describe('bounds', () => {
    it.each([-1, 0.5, Number.NaN, Infinity])('refuses a ttl of %s and changes nothing', (ttlMs) =>
      withStore(open, async ({ cache }) => {
        await expect(cache.set('a', '1', ttlMs)).rejects.toThrow(RangeError);
        await expect(cache.setIfAbsent('a', '1', ttlMs)).rejects.toThrow(RangeError);
        await expect(cache.compareAndSwap('a', '1', '2', ttlMs)).rejects.toThrow(RangeError);
        await expect(cache.incrementBy('a', 1, ttlMs)).rejects.toThrow(RangeError);
        expect(await cache.has('a')).toBe(false);
      })(),
    );

    it.each([0.5, Number.NaN, Infinity, 2 ** 53])('refuses to add %s', (amount) =>
      withStore(open, async ({ cache }) => {
        await expect(cache.incrementBy('a', amount, 0)).rejects.toThrow(RangeError);
        expect(await cache.has('a')).toBe(false);
      })(),
    );

    it.each([0, -1, 1.5, 1001, Number.NaN])('refuses a page of %s', (limit) =>
      withStore(open, async ({ cache }) => {
        await expect(cache.scanPrefix('', null, limit)).rejects.toThrow(RangeError);
      })(),
    );

    it(
      'is healthy while open',
      withStore(open, async ({ cache }) => {
        expect(await cache.health()).toBeNull();
      }),
    );

    it.each(Object.entries(OPERATIONS))('rejects %s after its end', (_, operation) =>
      withStore(open, async ({ cache }) => {
        await cache.close();
        await cache.close();
        await expect(operation(cache)).rejects.toThrow(CacheUnavailable);
        expect(await cache.health()).toBeTypeOf('string');
      })(),
    );
  });
}
