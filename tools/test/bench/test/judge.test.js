import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judge } from '../report/judge.js';
import { slope } from '../report/statistics.js';

/** @typedef {Record<string, number | null>} Rows */

/** @param {Rows} target @param {Rows} [floor] @param {string[]} [problems] @returns {import('../report/judge.js').Judged} */
const summary = (target, floor = {}, problems = []) => ({
  target,
  ratio: { cpu_us: 1.5 },
  headline: 'cpu_us',
  rounds: [{ target, floor }],
  problems,
});

describe('limits', () => {
  it('are kept up to and including their value', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9999 }), fc.integer({ min: 1, max: 9999 }), (bytes, limit) => {
        expect(judge({ 'max-bytes-per-connection': limit }, summary({ bytes })).kept).toBe(bytes <= limit);
      }),
    );
    expect(judge({ 'max-ratio': 1.5 }, summary({})).kept).toBe(true);
    expect(judge({ 'max-ratio': 1.49 }, summary({})).kept).toBe(false);
  });

  it('that name an exact value accept no other', () => {
    for (const code of [0, 1006, 4099, 4101]) {
      expect(judge({ 'close-code': 4100 }, summary({ close_code: code })).kept).toBe(false);
    }
    expect(judge({ 'close-code': 4100 }, summary({ close_code: 4100 })).kept).toBe(true);
  });

  it('are all said, and all must be kept', () => {
    const limits = { 'max-growth-mib': 8, 'close-code': 4100 };
    const { lines, kept } = judge(limits, summary({ growth_mib: 9.5, close_code: 4100 }));
    expect(lines).toEqual(['max-growth-mib: 9.5, at most 8 wanted', 'close-code: 4100, exactly 4100 wanted']);
    expect(kept).toBe(false);
  });

  it('cannot be judged after a loss, a failure, a problem, or without the number', () => {
    const limits = { 'max-ratio': 1000 };
    expect(() => judge(limits, summary({ missing: 1 }))).toThrow('proves nothing');
    expect(() => judge(limits, summary({}, { failed: 1 }))).toThrow('proves nothing');
    expect(() => judge(limits, summary({}, {}, ['target: it broke']))).toThrow('proves nothing');
    expect(() => judge({ 'max-batch-cost': 1 }, summary({ batch_cost: null }))).toThrow('not measured');
    expect(judge({}, summary({ missing: 1 })).kept).toBe(true);
  });
});

describe('slope', () => {
  it('is that of the line the points are on', () => {
    const number = fc.integer({ min: -1000, max: 1000 });
    fc.assert(
      fc.property(number, number, fc.uniqueArray(number, { minLength: 2 }), (rise, start, places) => {
        const points = places.map((x) => ({ x, y: start + rise * x }));
        expect(slope(points)).toBeCloseTo(rise, 6);
      }),
    );
  });

  it('does not exist for fewer than two places', () => {
    expect(slope([])).toBeNull();
    expect(slope([{ x: 1, y: 2 }])).toBeNull();
    expect(slope([1, 2].map((y) => ({ x: 5, y })))).toBeNull();
  });
});
