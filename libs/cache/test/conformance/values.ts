import { describe, expect, it } from 'vitest';
import { HOUR_MS, type OpenStore, withStore } from './store.js';

/** Plain reading and writing. */
export function valuesConformance(open: OpenStore): void {
  describe('values', () => {
    it(
      'has nothing under a name nobody wrote',
      withStore(open, async ({ cache }) => {
        expect(await cache.has('a')).toBe(false);
        expect(await cache.get('a')).toBeNull();
        expect(await cache.entry('a')).toBeNull();
        expect(await cache.remove('a')).toBe(false);
      }),
    );

    it(
      'gives everybody what was written last, whatever the text',
      withStore(open, async ({ cache, other }) => {
        for (const value of ['', 'x', '0', 'null', 'é\u0000\n"\\', '😀'.repeat(2000)]) {
          await cache.set('a', value, HOUR_MS);
          expect(await other.get('a')).toBe(value);
          expect(await other.has('a')).toBe(true);
        }
      }),
    );

    it(
      'takes names as they are',
      withStore(open, async ({ cache }) => {
        const names = ['', 'a', 'A', 'a*', 'a?[b]', 'a\\', '{a}', 'é:😀', 'x'.repeat(1000)];
        for (const name of names) await cache.set(name, name, HOUR_MS);
        for (const name of names) expect(await cache.get(name)).toBe(name);
      }),
    );

    it(
      'removes once',
      withStore(open, async ({ cache, other }) => {
        await cache.set('a', '1', HOUR_MS);
        expect(await other.remove('a')).toBe(true);
        expect(await cache.remove('a')).toBe(false);
        expect(await cache.get('a')).toBeNull();
      }),
    );
  });
}
