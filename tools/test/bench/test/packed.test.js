import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { packed, unpacked } from '../load/packed.js';

it('packs numbers, texts, lists and objects as MessagePack does', () => {
  expect(packed({ action: 10, channel: 'ä' }).toString('hex')).toBe(
    '82a6616374696f6e0aa76368616e6e656ca2c3a4',
  );
  expect(packed([200]).toString('hex')).toBe('91ce000000c8');
  expect(packed('x'.repeat(300)).toString('hex', 0, 3)).toBe('da012c');
});

it('reads what it packs', () => {
  const value = fc.oneof(
    fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    fc.string({ maxLength: 300 }),
    fc.array(fc.string(), { maxLength: 20 }),
  );
  fc.assert(
    fc.property(fc.dictionary(fc.string(), value, { maxKeys: 20, noNullPrototype: true }), (object) => {
      expect(unpacked(packed(object))).toEqual(object);
    }),
  );
});
