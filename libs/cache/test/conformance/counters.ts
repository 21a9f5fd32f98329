import { describe, expect, it } from 'vitest';
import { CacheValueNotInteger } from '../../src/index.js';
import { HOUR_MS, type OpenStore, withStore } from './store.js';

const MAX = Number.MAX_SAFE_INTEGER;

/** Counting. */
export function countersConformance(open: OpenStore): void {
  describe('counters', () => {
    it(
      'begin at 0 and go both ways',
      withStore(open, async ({ cache, other }) => {
        expect(await cache.incrementBy('a', 5, HOUR_MS)).toBe(5);
        expect(await other.incrementBy('a', -7, HOUR_MS)).toBe(-2);
        expect(await cache.incrementBy('a', 0, HOUR_MS)).toBe(-2);
        expect(await cache.get('a')).toBe('-2');
      }),
    );

    it(
      'continue from a written integer',
      withStore(open, async ({ cache }) => {
        await cache.set('a', '41', HOUR_MS);
        expect(await cache.incrementBy('a', 1, HOUR_MS)).toBe(42);
      }),
    );

    it(
      'are exact up to the bounds, and refuse a sum beyond them without a change',
      withStore(open, async ({ cache }) => {
        expect(await cache.incrementBy('up', MAX, HOUR_MS)).toBe(MAX);
        await expect(cache.incrementBy('up', 1, HOUR_MS)).rejects.toThrow(CacheValueNotInteger);
        expect(await cache.get('up')).toBe(String(MAX));
        expect(await cache.incrementBy('down', -MAX, HOUR_MS)).toBe(-MAX);
        await expect(cache.incrementBy('down', -1, HOUR_MS)).rejects.toThrow(CacheValueNotInteger);
        expect(await cache.incrementBy('down', MAX, HOUR_MS)).toBe(0);
      }),
    );

    it(
      'refuse a value that is no integer and leave it',
      withStore(open, async ({ cache }) => {
        const values = [
          '',
          ' 1',
          '1 ',
          '1.5',
          '1e3',
          '0x10',
          '+1',
          '01',
          '-0',
          'nan',
          'inf',
          '9007199254740992',
        ];
        for (const value of values) {
          await cache.set('a', value, HOUR_MS);
          await expect(cache.incrementBy('a', 1, HOUR_MS)).rejects.toThrow(CacheValueNotInteger);
          expect(await cache.get('a')).toBe(value);
        }
      }),
    );
  });
}
