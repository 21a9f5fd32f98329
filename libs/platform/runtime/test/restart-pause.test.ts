import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { failuresAfter, restartPauseMs } from '../src/workers/restart-pause.js';

const soon = { code: 1, livedMs: 100 };

describe('the pause before a worker is started again', () => {
  it('is none after an orderly stop', () => {
    expect(restartPauseMs(failuresAfter(5, { code: 0, livedMs: 100 }))).toBe(0);
  });

  it('grows while workers go on dying soon, up to a bound', () => {
    const pauses: number[] = [];
    for (let failures = failuresAfter(0, soon); pauses.length < 9; failures = failuresAfter(failures, soon))
      pauses.push(restartPauseMs(failures));
    expect(pauses).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  });

  it('is the first one again after a long life', () => {
    fc.assert(
      fc.property(fc.nat(10_000), fc.integer({ min: 60_000 }), (failures, livedMs) => {
        expect(restartPauseMs(failuresAfter(failures, { code: 1, livedMs }))).toBe(500);
      }),
    );
  });

  it('is bounded however often workers have died', () => {
    fc.assert(
      fc.property(fc.nat(), (failures) => {
        expect(restartPauseMs(failures)).toBeLessThanOrEqual(30_000);
      }),
    );
  });
});
