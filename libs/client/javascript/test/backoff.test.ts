import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { backoffMs } from '../src/connection/backoff.js';

it('waits longer each time, up to a bound, and never all at once', () => {
  expect([0, 1, 2, 3].map((attempt) => backoffMs(attempt, {}, () => 1))).toEqual([1000, 2000, 4000, 8000]);
  expect(backoffMs(0, {}, () => 0)).toBe(0);
  fc.assert(
    fc.property(fc.nat(), fc.double({ min: 0, max: 1, noNaN: true }), (attempt, chance) => {
      const waitMs = backoffMs(attempt, { initialMs: 100, maxMs: 5000 }, () => chance);
      expect(waitMs).toBeGreaterThanOrEqual(0);
      expect(waitMs).toBeLessThanOrEqual(5000);
    }),
  );
});
