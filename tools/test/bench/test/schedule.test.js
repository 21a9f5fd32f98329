import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Schedule } from '../load/schedule.js';

const start = fc.nat(10 ** 12);
const rate = fc.oneof(
  fc.double({ min: 0.1, max: 200_000, noNaN: true }),
  fc.integer({ min: 1, max: 200_000 }),
);
const index = fc.nat(10_000_000);

describe('open-loop schedule', () => {
  it('never drifts: each time is at most 1 µs from start plus index over rate', () => {
    fc.assert(
      fc.property(start, rate, index, (startUs, ratePerSecond, place) => {
        const exact = startUs + (place / ratePerSecond) * 1_000_000;
        expect(Math.abs(new Schedule(startUs, ratePerSecond).dueUs(place) - exact)).toBeLessThanOrEqual(1.01);
      }),
    );
  });

  it('owes exactly the requests whose time has come, whenever it is asked', () => {
    fc.assert(
      fc.property(
        start,
        rate,
        fc.integer({ min: -1000, max: 10 ** 9 }),
        (startUs, ratePerSecond, afterUs) => {
          const schedule = new Schedule(startUs, ratePerSecond);
          const count = schedule.dueCount(startUs + afterUs);
          expect(schedule.dueUs(count)).toBeGreaterThan(startUs + afterUs);
          expect(count === 0 || schedule.dueUs(count - 1) <= startUs + afterUs).toBe(true);
        },
      ),
    );
  });
});
