import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Aging, Recency } from '../src/index.js';

interface Item extends Aging<Item> {
  readonly id: number;
}

const itemOf = (id: number): Item => ({ id, older: null, newer: null });

/** From least to most recently used. */
function ids(recency: Recency<Item>): number[] {
  const found: number[] = [];
  for (let item = recency.oldest; item !== null; item = item.newer) found.push(item.id);
  return found;
}

const step = fc.record({ kind: fc.constantFrom('add', 'use', 'remove'), which: fc.nat(5) });

it('is in the order of use, whatever is added, used and removed', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const recency = new Recency<Item>();
      const items = Array.from({ length: 6 }, (_, id) => itemOf(id));
      let model: number[] = [];
      for (const { kind, which } of steps) {
        const item = items[which];
        const isIn = model.includes(which);
        if (item === undefined || isIn === (kind === 'add')) continue;
        if (kind === 'add') recency.add(item);
        if (kind === 'use') recency.use(item);
        if (kind === 'remove') recency.remove(item);
        model = model.filter((id) => id !== which);
        if (kind !== 'remove') model.push(which);
        expect(ids(recency)).toEqual(model);
      }
    }),
  );
});

it('holds on to nothing by an item that was removed', () => {
  const recency = new Recency<Item>();
  const [first, second, third] = [itemOf(1), itemOf(2), itemOf(3)];
  for (const item of [first, second, third]) recency.add(item);
  recency.remove(second);
  expect([second.older, second.newer]).toEqual([null, null]);
});
