import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { askedModes, FLAG, MODE, modesOf } from '../src/flags.js';

const names = Object.keys(MODE) as (keyof typeof MODE)[];
const some = fc.subarray(names, { minLength: 1 });
const bitsOf = (list: readonly (keyof typeof MODE)[]): number =>
  list.reduce((bits, name) => bits | MODE[name], 0);
const all = bitsOf(names);

describe('modes of an attachment', () => {
  it('are read from any list of their names, in either case and with spaces', () => {
    fc.assert(
      fc.property(some, fc.boolean(), fc.constantFrom(',', ' , '), (list, isLower, comma) => {
        const text = list.join(comma);
        expect(modesOf(isLower ? text.toLowerCase() : text)).toBe(bitsOf(list));
      }),
    );
  });

  it('are none at all when one name of the list is not known', () => {
    fc.assert(
      fc.property(some, fc.string(), fc.nat(), (list, word, at) => {
        fc.pre(!word.includes(',') && !names.some((name) => name === word.trim().toUpperCase()));
        const words: string[] = [...list];
        words.splice(at % (words.length + 1), 0, word);
        expect(modesOf(words.join(','))).toBeNull();
      }),
    );
  });

  it('are those that the bits ask for, whatever else stands in them', () => {
    fc.assert(
      fc.property(some, fc.subarray(Object.values(FLAG)), (list, others) => {
        const bits = bitsOf(list);
        expect(askedModes(others.reduce((sum, bit) => sum | bit, bits))).toBe(bits);
      }),
    );
  });

  it('are all but single annotations when none is asked for', () => {
    for (const flags of [0, ...Object.values(FLAG)])
      expect(askedModes(flags)).toBe(all & ~MODE.ANNOTATION_SUBSCRIBE);
  });
});
