import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outcomeOfStatus, retrySettings, retryWaitMs, type RetrySettings } from '../../src/delivery/retry.js';
import { config, entry } from '../samples.js';

const kind = (status: number) => outcomeOfStatus(status, undefined).kind;

function retryAfter(status: number, header: string): number | null | undefined {
  const outcome = outcomeOfStatus(status, header);
  return outcome.kind === 'failed' ? outcome.retryAfterMs : undefined;
}

describe('an answer', () => {
  it('is a success when it is any 2xx, a redirect is not followed', () => {
    for (const status of [200, 201, 202, 204, 299]) expect(kind(status)).toBe('delivered');
    for (const status of [301, 302, 304, 307, 308]) expect(kind(status)).toBe('permanent');
  });

  it('is worth another attempt with 408, 409, 425, 429 and every 5xx, with nothing else', () => {
    for (const status of [408, 409, 425, 429, 500, 502, 503, 504, 599]) expect(kind(status)).toBe('failed');
    for (const status of [400, 401, 403, 404, 405, 410, 413, 422, 451])
      expect(kind(status)).toBe('permanent');
  });

  it('says when to come back in whole seconds, with 429 and 503', () => {
    expect(retryAfter(429, '7')).toBe(7000);
    expect(retryAfter(503, '0')).toBe(0);
    expect(retryAfter(500, '7')).toBe(null);
    for (const header of ['Wed, 21 Oct 2026 07:28:00 GMT', '1.5', '-1', '', '99999999999999'])
      expect(retryAfter(503, header)).toBe(null);
  });
});

const SETTINGS: RetrySettings = {
  enabled: true,
  maxAttempts: Infinity,
  maxElapsedMs: 300_000,
  initialBackoffMs: 1000,
  maxBackoffMs: 60_000,
};
const FIRST = { attempt: 1, elapsedMs: 0, retryAfterMs: null, chance: 0.5 };

describe('the wait before the next attempt', () => {
  it('doubles up to the longest', () => {
    const waits = [1, 2, 3, 6, 7, 8, 1000].map((attempt) => retryWaitMs({ ...FIRST, attempt }, SETTINGS));
    expect(waits).toEqual([1000, 2000, 4000, 32_000, 60_000, 60_000, 60_000]);
  });

  it('varies by a fifth in both directions', () => {
    expect(retryWaitMs({ ...FIRST, chance: 0 }, SETTINGS)).toBe(800);
    expect(retryWaitMs({ ...FIRST, chance: 1 }, SETTINGS)).toBe(1200);
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (attempt, chance) => {
          const plain = Math.min(1000 * 2 ** (attempt - 1), 60_000);
          const wait = retryWaitMs({ ...FIRST, attempt, chance }, SETTINGS) ?? NaN;
          expect(Math.abs(wait - plain)).toBeLessThanOrEqual(plain / 5 + 1);
        },
      ),
    );
  });

  it('is raised by what the receiver asks for, up to the longest', () => {
    expect(retryWaitMs({ ...FIRST, retryAfterMs: 5000 }, SETTINGS)).toBe(5000);
    expect(retryWaitMs({ ...FIRST, retryAfterMs: 500 }, SETTINGS)).toBe(1000);
    expect(retryWaitMs({ ...FIRST, retryAfterMs: 3_600_000 }, SETTINGS)).toBe(60_000);
  });

  it('is none when it would pass the time there is, or the attempts are made', () => {
    expect(retryWaitMs({ ...FIRST, elapsedMs: 299_000 }, SETTINGS)).toBe(1000);
    expect(retryWaitMs({ ...FIRST, elapsedMs: 299_001 }, SETTINGS)).toBe(null);
    const four = { ...SETTINGS, maxAttempts: 4 };
    expect(retryWaitMs({ ...FIRST, attempt: 3 }, four)).toBe(4000);
    expect(retryWaitMs({ ...FIRST, attempt: 4 }, four)).toBe(null);
    expect(retryWaitMs(FIRST, { ...SETTINGS, enabled: false })).toBe(null);
  });
});

describe('the settings of a receiver', () => {
  it('are the global ones where it has none of its own', () => {
    const { webhooks } = config();
    expect(retrySettings(entry(), webhooks)).toEqual(SETTINGS);
    expect(retrySettings(entry({ retry: { max_attempts: 4, enabled: false } }), webhooks)).toEqual({
      ...SETTINGS,
      maxAttempts: 4,
      enabled: false,
    });
    const own = { max_elapsed_time_ms: 1, initial_backoff_ms: 2, max_backoff_ms: 3 };
    expect(retrySettings(entry({ retry: own }), webhooks)).toMatchObject({
      maxElapsedMs: 1,
      initialBackoffMs: 2,
      maxBackoffMs: 3,
    });
  });
});
