import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DueHeap } from '../src/drivers/memory/due-heap.js';
import { FairFifo } from '../src/fair/fair-fifo.js';
import { Fifo } from '../src/fair/fifo.js';

describe('what waits in memory', () => {
  it('comes by due time, and in order of coming within it', () => {
    const due = fc.record({ dueMs: fc.integer({ min: 0, max: 8 }) });
    fc.assert(
      fc.property(fc.array(due, { maxLength: 80 }), fc.integer({ min: -1, max: 9 }), (items, nowMs) => {
        const heap = new DueHeap<{ dueMs: number; sequence: number }>();
        const all = items.map(({ dueMs }, sequence) => ({ dueMs, sequence }));
        for (const item of all) heap.add(item);
        const taken = [];
        for (let one = heap.takeDue(nowMs); one !== undefined; one = heap.takeDue(nowMs)) taken.push(one);
        const sorted = all.toSorted((a, b) => a.dueMs - b.dueMs || a.sequence - b.sequence);
        expect(taken).toEqual(sorted.filter(({ dueMs }) => dueMs <= nowMs));
        expect(heap.first).toEqual(sorted[taken.length]);
        expect(heap.size).toBe(sorted.length - taken.length);
      }),
    );
  });

  it('comes first in, first out, what was given back before all', () => {
    const action = fc.constantFrom('add', 'take', 'give back');
    fc.assert(
      fc.property(fc.array(action, { maxLength: 4000, size: 'max' }), (actions) => {
        const fifo = new Fifo<number>();
        const model: number[] = [];
        for (const [n, act] of actions.entries()) {
          if (act === 'add') {
            fifo.add(n);
            model.push(n);
          } else if (act === 'take') {
            expect(fifo.take()).toBe(model.shift());
          } else {
            fifo.addFirst(n);
            model.unshift(n);
          }
          expect(fifo.size).toBe(model.length);
          expect(fifo.first).toBe(model[0]);
        }
      }),
      { numRuns: 20 },
    );
  });

  it('comes in turn from each owner, and in order of coming from one', () => {
    const step = fc.oneof(fc.constantFrom('a', 'b', 'c', null), fc.constant('take' as const));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const fair = new FairFifo<{ owner: string | null; n: number }>();
        const model: { owner: string | null; items: number[] }[] = [];
        for (const [n, owner] of steps.entries()) {
          if (owner === 'take') {
            const line = model.shift();
            const expected = line?.items.shift();
            if (line !== undefined && line.items.length > 0) model.push(line);
            expect(fair.take()?.n).toBe(expected);
          } else {
            fair.add({ owner, n });
            const line = model.find((one) => one.owner === owner);
            if (line === undefined) model.push({ owner, items: [n] });
            else line.items.push(n);
          }
          expect(fair.size).toBe(model.reduce((sum, { items }) => sum + items.length, 0));
          expect([...fair.firsts()].map((one) => one.n)).toEqual(model.map(({ items }) => items[0]));
        }
      }),
    );
  });

  it('does not grow with what was taken long ago', () => {
    const fifo = new Fifo<number>();
    for (let n = 0; n < 100_000; n++) {
      fifo.add(n);
      expect(fifo.take()).toBe(n);
    }
    expect(fifo.size).toBe(0);
  });
});
