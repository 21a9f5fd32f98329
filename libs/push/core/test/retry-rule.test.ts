import { assert, constantFrom, integer, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextAttemptAtMs, type RetrySettings } from '../src/pipeline/retry-rule.js';

const SETTINGS: RetrySettings = {
  max_attempts: 5,
  initial_backoff_ms: 1000,
  max_backoff_ms: 60_000,
  max_elapsed_secs: 86_400,
  jitter: true,
  jitter_ratio_percent: 20,
  respect_retry_after: true,
};
const NOW = 1_790_000_000_000;
const failed = (more = {}) => ({
  attempt: 1,
  firstAttemptAtMs: NOW,
  expiresAtMs: null,
  retryAtMs: null,
  minimumWaitMs: 0,
  retryKey: 'retry:1',
  ...more,
});

describe('the next attempt of a delivery', () => {
  it('waits twice as long each time, spread, and the same for the same key', () => {
    assert(
      property(integer({ min: 1, max: 4 }), constantFrom('a', 'b', 'c', 'd'), (attempt, retryKey) => {
        const wait = nextAttemptAtMs(failed({ attempt, retryKey }), SETTINGS, NOW) - NOW;
        const delay = 1000 * 2 ** (attempt - 1);
        expect(wait).toBeGreaterThanOrEqual(delay * 0.8);
        expect(wait).toBeLessThanOrEqual(delay * 1.2);
        expect(nextAttemptAtMs(failed({ attempt, retryKey }), SETTINGS, NOW) - NOW).toBe(wait);
      }),
    );
  });

  it('is never later than the deadline, nor longer away than the longest wait', () => {
    const times = record({
      attempt: integer({ min: 1, max: 99 }),
      lifeMs: integer({ min: 1, max: 100_000 }),
    });
    assert(
      property(times, ({ attempt, lifeMs }) => {
        const settings = { ...SETTINGS, max_attempts: 100 };
        const at = nextAttemptAtMs(failed({ attempt, expiresAtMs: NOW + lifeMs }), settings, NOW);
        expect(at).toBeLessThanOrEqual(Math.min(NOW + lifeMs, NOW + 60_000));
      }),
    );
  });

  it('is when the provider says, and at once when that is over', () => {
    expect(nextAttemptAtMs(failed({ retryAtMs: NOW + 2345 }), SETTINGS, NOW)).toBe(NOW + 2345);
    expect(nextAttemptAtMs(failed({ retryAtMs: NOW - 1 }), SETTINGS, NOW)).toBe(NOW);
    const deaf = { ...SETTINGS, respect_retry_after: false, jitter: false };
    expect(nextAttemptAtMs(failed({ retryAtMs: NOW + 9 }), deaf, NOW)).toBe(NOW + 1000);
    expect(nextAttemptAtMs(failed({ minimumWaitMs: 10_000 }), deaf, NOW)).toBe(NOW + 10_000);
  });

  it('is now when there is none left, so that it ends', () => {
    expect(nextAttemptAtMs(failed({ attempt: 5 }), SETTINGS, NOW)).toBe(NOW);
  });
});
