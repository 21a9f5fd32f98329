import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { RecentlyUsed } from '../src/index.js';

const MAX_ENTRIES = 4;
const MAX_BYTES = 12;
const bytesOf = (names: readonly string[]): number => Buffer.byteLength(names.join(''));
/** Few, so that they are used again, and of different sizes; one never fits. */
const name = fc.constantFrom('a', 'b', 'c', 'dd', 'eee', 'ää', 'ffffff', 'g'.repeat(13));

it('what is recently used stays within its bounds, and what was not used for longest goes first', () => {
  fc.assert(
    fc.property(fc.array(name, { maxLength: 50 }), (names) => {
      const evicted: number[] = [];
      const recent = new RecentlyUsed<string>(MAX_ENTRIES, MAX_BYTES, () => evicted.push(1));
      let model: string[] = [];
      let gone = 0;
      for (const one of names) {
        expect(recent.get(one)).toBe(model.includes(one) ? one : undefined);
        if (!model.includes(one)) recent.put(one, one);
        model = [...model.filter((other) => other !== one), one];
        while (model.length > MAX_ENTRIES || bytesOf(model) > MAX_BYTES) {
          model.shift();
          gone += 1;
        }
        expect([recent.size, recent.bytes, evicted.length]).toEqual([model.length, bytesOf(model), gone]);
      }
    }),
  );
});
