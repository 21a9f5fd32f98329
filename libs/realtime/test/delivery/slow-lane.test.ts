import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SlowLane } from '../../src/delivery/slow-lane.js';

const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('push' as const), frame: fc.string({ unit: 'binary' }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('shift' as const) }) },
);

/** Executes a program on a lane and on an array as its model. */
class Pair {
  readonly lane = new SlowLane();
  readonly model: string[] = [];
  #taken = 0;

  push(frame: string): void {
    this.lane.push(frame);
    this.model.push(frame);
  }

  shift(): void {
    const frame = this.model.shift();
    if (frame !== undefined) this.#taken += 1;
    expect(this.lane.shift()).toBe(frame);
  }

  compare(): void {
    expect([this.lane.size, this.lane.taken]).toEqual([this.model.length, this.#taken]);
    expect(this.lane.bytes).toBe(this.model.reduce((sum, frame) => sum + Buffer.byteLength(frame), 0));
  }
}

describe('the lane of a slow client', () => {
  it('is what an array would be, counted in bytes of UTF-8', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (program) => {
        const pair = new Pair();
        for (const one of program) {
          if (one.kind === 'push') pair.push(one.frame);
          else pair.shift();
          pair.compare();
        }
        while (pair.model.length > 0) pair.shift();
        pair.compare();
        pair.shift();
      }),
    );
  });

  it('stays one over thousands of frames, whatever is taken out between', () => {
    const bursts = fc.array(fc.tuple(fc.nat(3000), fc.nat(3000)), { maxLength: 6 });
    fc.assert(
      fc.property(bursts, (program) => {
        const pair = new Pair();
        let next = 0;
        for (const [pushes, shifts] of program) {
          for (let count = 0; count < pushes; count += 1) pair.push(`frame ${next++}`);
          for (let count = 0; count < shifts; count += 1) pair.shift();
          pair.compare();
        }
      }),
      { numRuns: 25 },
    );
  });

  it('takes nothing out where nothing is', () => {
    const lane = new SlowLane();
    expect(lane.shift()).toBeUndefined();
    expect([lane.size, lane.bytes]).toEqual([0, 0]);
  });
});
