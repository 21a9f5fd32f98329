import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LeaseQueue } from '../src/drivers/memory/lease-queue.js';
import type { Lease } from '../src/transitions.js';
import { LOBBY } from './samples.js';

const leaseEnding = (endsAtMs: number): Lease => ({ ...LOBBY, userId: 'ada', cause: 'left', endsAtMs });

describe('the queue of leases', () => {
  it('always has the one that ends first in front, whatever is added and taken out', () => {
    const step = fc.oneof(
      fc.record({ add: fc.nat(20) }),
      fc.record({ takeOut: fc.nat(100) }),
      fc.constant('first' as const),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const queue = new LeaseQueue();
        const inside: Lease[] = [];
        const takeOut = (lease: Lease | undefined): void => {
          if (lease === undefined) return;
          inside.splice(inside.indexOf(lease), 1);
          expect([queue.remove(lease), queue.remove(lease)]).toEqual([true, false]);
        };
        for (const one of steps) {
          if (one === 'first') takeOut(queue.first);
          else if ('takeOut' in one) takeOut(inside[one.takeOut % inside.length]);
          else {
            inside.push(leaseEnding(one.add));
            queue.add(inside.at(-1) ?? leaseEnding(0));
          }
          expect(queue.size).toBe(inside.length);
          const ends = inside.map(({ endsAtMs }) => endsAtMs);
          expect(queue.first?.endsAtMs ?? Infinity).toBe(Math.min(...ends));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('takes out what it gives in the order of the ends', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(50), { maxLength: 100 }), (ends) => {
        const queue = new LeaseQueue();
        for (const endsAtMs of ends) queue.add(leaseEnding(endsAtMs));
        const given: number[] = [];
        for (let { first } = queue; first !== undefined; { first } = queue) {
          given.push(first.endsAtMs);
          queue.remove(first);
        }
        expect(given).toEqual([...ends].sort((one, other) => one - other));
      }),
    );
  });

  it('is empty when cleared', () => {
    const queue = new LeaseQueue();
    const lease = leaseEnding(1);
    queue.add(lease);
    queue.clear();
    expect([queue.size, queue.first, queue.remove(lease)]).toEqual([0, undefined, false]);
  });
});
