import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { UuidList } from '../src/index.js';

/** Random UUIDs, and some that differ in a single digit. */
const uuid = fc.oneof(
  fc.uuid(),
  fc.tuple(fc.nat({ max: 31 }), fc.nat({ max: 15 })).map(([place, digit]) => {
    const digits = `${'0'.repeat(place)}${digit.toString(16)}${'0'.repeat(31 - place)}`;
    return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  }),
);

const idOf = (round: number, index: number): string =>
  `00000000-0000-4000-${String(round).padStart(4, '0')}-${String(index).padStart(12, '0')}`;

it('numbers each once, in the order in which they came, and tells them by their numbers', () => {
  fc.assert(
    fc.property(fc.array(uuid, { maxLength: 300, size: 'max' }), (uuids) => {
      const list = new UuidList();
      const model: string[] = [];
      for (const one of uuids) {
        const known = model.indexOf(one);
        expect(list.numberOf(one)).toBe(known === -1 ? null : known);
        if (known === -1) model.push(one);
        expect(list.add(one)).toBe(model.indexOf(one));
      }
      expect(list.size).toBe(model.length);
      expect(model.map((one) => list.numberOf(one))).toEqual([...model.keys()]);
      expect(model.map((_, number) => list.at(number))).toEqual(model);
    }),
  );
});

it('begins anew once it was cleared, however much was in it each time', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 500 }), { maxLength: 8 }), (sizes) => {
      const list = new UuidList();
      for (const [round, size] of sizes.entries()) {
        const ids = Array.from({ length: size }, (_, index) => idOf(round, index));
        expect(ids.map((id) => list.add(id))).toEqual([...ids.keys()]);
        expect(ids.map((id) => list.numberOf(id))).toEqual([...ids.keys()]);
        list.clear();
        expect(list.size).toBe(0);
        expect(ids.every((id) => list.numberOf(id) === null)).toBe(true);
      }
    }),
  );
});
