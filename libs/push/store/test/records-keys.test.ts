import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byColumns } from '../src/model/compare.js';
import { after, behind, bucketOf, keyOf, partsOf } from '../src/records/keys.js';
import { splitText } from '../src/records/values.js';

/** Texts of characters that keys use themselves, and of those whose order differs between UTF-16 and UTF-8. */
const text = fc
  .array(
    fc.constantFrom('\u0000', '\u0001', '\u0002', '\u0003', '\u0010', ':', 'a', 'b', 'ä', '\uffff', '😀'),
    {
      maxLength: 4,
    },
  )
  .map((characters) => characters.join(''));
const pair = fc.tuple(text, text);

const compare = (one: string, other: string): number => Math.sign(byColumns([one], [other]));

describe('keys of records', () => {
  it('have the order of their columns', () => {
    fc.assert(
      fc.property(pair, pair, (left, right) => {
        expect(compare(keyOf(...left), keyOf(...right))).toBe(Math.sign(byColumns(left, right)));
      }),
      { numRuns: 2000 },
    );
  });

  it('order numbers by value beside texts', () => {
    const number = fc.nat({ max: Number.MAX_SAFE_INTEGER });
    fc.assert(
      fc.property(number, number, text, (left, right, id) => {
        expect(compare(keyOf(left, id), keyOf(right, id))).toBe(Math.sign(left - right));
      }),
    );
    expect(keyOf(-5)).toBe(keyOf(0));
  });

  it('are decoded to their parts', () => {
    fc.assert(
      fc.property(pair, (parts) => {
        expect(partsOf(keyOf(...parts))).toEqual(parts);
      }),
    );
  });

  it('lie between a key and the bound behind it if they begin with its parts, and only then', () => {
    fc.assert(
      fc.property(text, pair, (first, [channel, device]) => {
        const key = keyOf(channel, device);
        const isWithin = compare(key, keyOf(first)) >= 0 && compare(key, behind(keyOf(first))) < 0;
        expect(isWithin).toBe(channel === first);
        expect(compare(after(key), key)).toBe(1);
        expect(compare(after(key), keyOf(channel, device, ''))).toBeLessThanOrEqual(0);
      }),
      { numRuns: 2000 },
    );
  });

  it('spread over all buckets', () => {
    const counts = Array.from({ length: 16 }, () => 0);
    for (let id = 0; id < 16_000; id += 1) {
      const bucket = bucketOf(`device-${id}`, 16);
      counts[bucket] = (counts[bucket] ?? 0) + 1;
    }
    expect(Math.min(...counts)).toBeGreaterThan(700);
    expect(Math.max(...counts)).toBeLessThan(1300);
  });
});

it('splitText keeps every part within the limit and the text whole', () => {
  const long = fc.array(text, { maxLength: 20 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(long, fc.integer({ min: 6, max: 30 }), (whole, most) => {
      const parts = splitText(whole, most);
      expect(parts.join('')).toBe(whole);
      for (const part of parts) {
        expect(Buffer.byteLength(part)).toBeLessThanOrEqual(most);
        expect(Buffer.from(part).toString()).toBe(part);
      }
    }),
  );
});
