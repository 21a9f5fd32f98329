import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fnvFraction, retryDelayMs } from '../src/retry-delay.js';

const WAITS = { retry_base_delay_ms: 1000, retry_max_delay_ms: 60_000, retry_jitter: 0.2 };

/** The hash as it is defined, in whole numbers. */
function fnv(text: string): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text, 'utf8')) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return hash;
}

describe('the wait before another attempt', () => {
  it('hashes as FNV-1a-64 does', () => {
    expect(fnv('foobar')).toBe(0x85944171f73967e8n);
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(fnvFraction(text)).toBe(
          Number(fnv(text) >> 32n) / 2 ** 32 + Number(fnv(text) & 0xffffffffn) / 2 ** 64,
        );
      }),
    );
  });

  it('doubles up to the longest one', () => {
    const plain = { ...WAITS, retry_jitter: 0 };
    const waits = [1, 2, 3, 4, 5, 6, 7, 8, 5000].map((attempt) => retryDelayMs('x', attempt, plain));
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  });

  it('varies within its bounds, and is the same for the same job and attempt', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.integer({ min: 1, max: 40 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (id, attempt, retry_jitter) => {
          const wait = retryDelayMs(id, attempt, { ...WAITS, retry_jitter });
          const middle = Math.min(1000 * 2 ** (attempt - 1), 60_000);
          expect(wait).toBeGreaterThanOrEqual(Math.floor(middle * (1 - retry_jitter)));
          expect(wait).toBeLessThanOrEqual(Math.min(middle * (1 + retry_jitter), 60_000));
          expect(retryDelayMs(id, attempt, { ...WAITS, retry_jitter })).toBe(wait);
        },
      ),
    );
  });

  it('is nothing when nothing is to be waited', () => {
    expect(retryDelayMs('x', 5000, { ...WAITS, retry_base_delay_ms: 0 })).toBe(0);
    expect(retryDelayMs('x', 3, { ...WAITS, retry_max_delay_ms: 0, retry_base_delay_ms: 0 })).toBe(0);
  });
});
