import { describe, expect, it } from 'vitest';
import { HOUR_MS, type OpenStore, scanAll, withStore } from './store.js';

const COUNT = 60;
const names = (prefix: string) => Array.from({ length: COUNT }, (_, index) => `${prefix}${index}`);
const sorted = (all: Iterable<string>) => [...new Set(all)].sort();

/** Listing names. */
export function scanConformance(open: OpenStore): void {
  describe('scan', () => {
    it(
      'finds every name with the prefix and no other, on as many pages as it takes',
      withStore(open, async ({ cache, other }) => {
        for (const name of [...names('a:'), ...names('b:'), 'a', 'ab:1']) await cache.set(name, '1', HOUR_MS);
        expect(sorted(await scanAll(other, 'a:'))).toEqual(sorted(names('a:')));
        expect(sorted(await scanAll(other, ''))).toEqual(
          sorted([...names('a:'), ...names('b:'), 'a', 'ab:1']),
        );
        expect(await scanAll(other, 'c:')).toEqual([]);
      }),
    );

    it(
      'takes the prefix as it is, not as a pattern',
      withStore(open, async ({ cache }) => {
        const all = ['a*b', 'axb', 'a?b', '[ab]c', 'ac', 'a\\b', 'a\\', '^a', '{a}b'];
        for (const name of all) await cache.set(name, '1', HOUR_MS);
        for (const prefix of ['a*', 'a?', '[ab]', 'a\\', '^', '{a}']) {
          expect(sorted(await scanAll(cache, prefix))).toEqual(
            sorted(all.filter((one) => one.startsWith(prefix))),
          );
        }
      }),
    );

    it(
      'sees whatever exists throughout, while others come, go and change',
      withStore(open, async ({ cache, other }) => {
        const stay = names('a:stays:');
        for (const [index, name] of stay.entries()) {
          await cache.set(name, '1', HOUR_MS);
          await cache.set(`a:goes:${index}`, '1', HOUR_MS);
        }
        const seen = await scanAll(cache, 'a:', async (page) => {
          await other.remove(`a:goes:${page}`);
          await other.set(`a:comes:${page}`, '1', HOUR_MS);
          await other.set(`a:stays:${page % COUNT}`, '2', HOUR_MS);
          await other.get(`a:stays:${(page * 7) % COUNT}`);
        });
        expect(sorted(seen.filter((name) => name.startsWith('a:stays:')))).toEqual(sorted(stay));
      }),
    );

    it(
      'refuses a cursor that is none',
      withStore(open, async ({ cache }) => {
        for (const cursor of ['', 'x', '-1', '1.5', '1 ', '99999999999999999999999']) {
          await expect(cache.scanPrefix('', cursor, 1)).rejects.toThrow(RangeError);
        }
      }),
    );
  });
}
