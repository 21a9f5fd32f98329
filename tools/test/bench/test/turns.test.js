import { describe, expect, it } from 'vitest';
import { Histogram } from '../load/histogram.js';
import { joined, settingsOfTurns } from '../measure/turns.js';
import { parseOptions } from '../settings/options.js';

const settings = parseOptions(
  'fleet --url ws://127.0.0.1:1 --app a --key k --secret s --duration 5 --warmup 2'.split(' '),
)?.settings;

/** @param {Partial<import('../scenarios/metrics.js').Measured>} some @param {number[]} latencies */
function part(some, latencies) {
  const latency = new Histogram();
  for (const us of latencies) latency.record(us);
  const lag = new Histogram();
  return { seconds: 1, counts: {}, totals: {}, cpuUs: 0, memory: [], latency, lag, problem: '', ...some };
}

describe('a window that is measured in turns', () => {
  it('is measured as long as in one piece, and warms the server up once', () => {
    if (settings === undefined) throw new Error('no settings');
    const turns = settingsOfTurns(settings, 4);
    expect(turns.map(({ duration }) => duration)).toEqual([1.25, 1.25, 1.25, 1.25]);
    expect(turns.map(({ warmup }) => warmup)).toEqual([2, 0.25, 0.25, 0.25]);
    expect(settingsOfTurns(settings, 1)).toEqual([settings]);
  });

  it('is the sum of its parts', () => {
    const whole = joined([
      part({ counts: { received: 2 }, totals: { failed: 1 }, cpuUs: 30, problem: '' }, [10, 20]),
      part({ counts: { received: 3, lost: 1 }, cpuUs: 12, problem: 'one was refused' }, [30]),
    ]);
    const { latency, lag, ...rest } = whole;
    expect(rest).toEqual({
      seconds: 2,
      counts: { received: 5, lost: 1 },
      totals: { failed: 1 },
      cpuUs: 42,
      memory: [],
      problem: 'one was refused',
    });
    expect([latency.count, latency.quantile(0.5), latency.max, lag.count]).toEqual([3, 20, 30, 0]);
  });

  it('has no processor time when one of its parts has none', () => {
    expect(joined([part({}, []), part({ cpuUs: null }, [])]).cpuUs).toBeNull();
  });
});
