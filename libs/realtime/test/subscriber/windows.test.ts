import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Windows, type WindowRule } from '../../src/subscriber/windows.js';

const rule = (attempts: number, lengthMs: number): WindowRule => ({ attempts, lengthMs, terminates: false });

describe('fixed windows', () => {
  it('allow so many attempts from the first one on, and as many again when the time is over', () => {
    const windows = new Windows();
    const two = rule(2, 1000);
    const outcomes = [5000, 5500, 5999, 6000, 6001, 6002, 8000].map((nowMs) =>
      windows.clientEvent(two, nowMs),
    );
    expect(outcomes).toEqual([true, true, false, true, true, false, true]);
  });

  it('count frames and client events apart', () => {
    const windows = new Windows();
    const one = rule(1, 1000);
    expect(windows.frame(one, 0)).toBe(true);
    expect(windows.clientEvent(one, 0)).toBe(true);
    expect(windows.frame(one, 1)).toBe(false);
    expect(windows.clientEvent(one, 1)).toBe(false);
  });

  it('agree with a list of everything that happened', () => {
    const times = fc.array(fc.nat(400), { maxLength: 80 });
    fc.assert(
      fc.property(
        times,
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 1000 }),
        (gaps, most, length) => {
          const windows = new Windows();
          let nowMs = 0;
          let since = -Infinity;
          let seen = 0;
          for (const gap of gaps) {
            nowMs += gap;
            if (nowMs - since >= length) [since, seen] = [nowMs, 0];
            seen += 1;
            expect(windows.frame(rule(most, length), nowMs)).toBe(seen <= most);
          }
        },
      ),
    );
  });

  it('refuse nothing without a bound', () => {
    const windows = new Windows();
    for (let index = 0; index < 1000; index += 1) expect(windows.frame(rule(Infinity, 1000), 0)).toBe(true);
  });
});
