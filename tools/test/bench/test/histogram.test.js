import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Histogram, LARGEST, RELATIVE_ERROR } from '../load/histogram.js';

const values = fc.array(fc.oneof(fc.nat(300), fc.nat(100_000), fc.nat(LARGEST)), {
  minLength: 1,
  maxLength: 300,
});
const share = fc.double({ min: 0, max: 1, noNaN: true });

/** @param {number[]} all */
function histogramOf(all) {
  const histogram = new Histogram();
  for (const value of all) histogram.record(value);
  return histogram;
}

/** @param {number[]} all @param {number} part */
const sortedQuantile = (all, part) =>
  [...all].sort((a, b) => a - b)[Math.max(1, Math.ceil(part * all.length)) - 1] ?? 0;

describe('histogram', () => {
  it('gives every quantile within the stated relative error of a sorted list', () => {
    fc.assert(
      fc.property(values, share, (all, part) => {
        const exact = sortedQuantile(all, part);
        const given = histogramOf(all).quantile(part) ?? Number.NaN;
        expect(Math.abs(given - exact)).toBeLessThanOrEqual(exact * RELATIVE_ERROR);
      }),
    );
  });

  it('is the same whether values were recorded in one process or in several', () => {
    fc.assert(
      fc.property(values, values, (left, right) => {
        const sum = histogramOf(left);
        sum.add(JSON.parse(JSON.stringify(histogramOf(right))));
        const whole = histogramOf([...left, ...right]);
        expect(sum.toJSON()).toEqual(whole.toJSON());
        expect(sum.count).toBe(whole.count);
      }),
    );
  });

  it('keeps what is out of range at the nearest end', () => {
    const histogram = histogramOf([-5, LARGEST * 1000]);
    expect(histogram.quantile(0)).toBe(0);
    expect(histogram.max).toBe(LARGEST);
    expect(histogram.count).toBe(2);
  });

  it('has no quantile before the first value', () => {
    expect(new Histogram().quantile(0.5)).toBeNull();
  });
});
