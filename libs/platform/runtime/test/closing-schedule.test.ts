import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CLOSING_STEP_MS, closingSchedule, shuffled } from '../src/index.js';

describe('closing schedule', () => {
  it('closes every socket once, in time, in batches as even as 50 a step allow', () => {
    fc.assert(
      fc.property(fc.nat(2_000_000), fc.nat(3_600_000), (total, durationMs) => {
        const batches = closingSchedule(total, durationMs);
        const steps = Math.max(1, Math.floor(durationMs / CLOSING_STEP_MS));
        expect(batches.reduce((sum, batch) => sum + batch, 0)).toBe(total);
        expect(batches.every((batch) => batch > 0)).toBe(true);
        expect(batches.length).toBeLessThanOrEqual(steps);
        const even = Math.max(50, Math.ceil(total / steps));
        expect(batches.slice(0, -1).every((batch) => batch === even)).toBe(true);
        expect(Math.max(0, batches.length - 1) * CLOSING_STEP_MS).toBeLessThanOrEqual(durationMs);
      }),
    );
  });

  it('closes all at once without time', () => {
    expect(closingSchedule(1234, 0)).toEqual([1234]);
    expect(closingSchedule(0, 10_000)).toEqual([]);
  });

  it('closes 1000 sockets 50 at a time', () => {
    expect(closingSchedule(1000, 6667)).toEqual(Array.from({ length: 20 }, () => 50));
  });

  it('shuffles without losing anything', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat()),
        fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })),
        (items, numbers) => {
          const mixed = shuffled(items, () => numbers.next().value ?? 0);
          expect([...mixed].sort((a, b) => a - b)).toEqual([...items].sort((a, b) => a - b));
        },
      ),
    );
    expect(shuffled([1, 2, 3], () => 0)).toEqual([2, 3, 1]);
  });
});
