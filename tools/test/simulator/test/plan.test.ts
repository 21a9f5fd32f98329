import { expect, it } from 'vitest';
import type { Core } from '../src/run/core.js';
import { expand } from '../src/plan/plan.js';
import { Random } from '../src/kernel/random.js';
import { Heap } from '../src/kernel/heap.js';

const CORE: Pick<Core, 'actions' | 'name'> = { name: 'sample', actions: [{ name: 'publish', weight: 1 }] };

it('expand: gives equal plans when core, fault and seed are equal', () => {
  expect(expand(CORE, 'net-drop', 7, 100)).toEqual(expand(CORE, 'net-drop', 7, 100));
  expect(expand(CORE, 'net-drop', 7, 100)).not.toEqual(expand(CORE, 'net-drop', 8, 100));
});

it('Random: gives version 4 UUIDs and numbers within their bounds', () => {
  const random = new Random(1, 'test');
  expect(random.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  for (let round = 0; round < 1000; round += 1) expect(random.below(7)).toBeLessThan(7);
});

it('Heap: returns items by time, then by rank', () => {
  const heap = new Heap<{ atMs: number; readonly rank: number }>();
  const random = new Random(2);
  const items = Array.from({ length: 200 }, () => ({ atMs: random.below(10), rank: random.next() }));
  for (const item of items) heap.push(item);
  const popped = items.map(() => heap.pop());
  expect(popped).toEqual(items.toSorted((one, other) => one.atMs - other.atMs || one.rank - other.rank));
  expect(heap.pop()).toBeUndefined();
});
