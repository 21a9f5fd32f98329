import { describe, expect, it } from 'vitest';
import { NoRateLimit } from '../src/drivers/none.js';
import { boundsConformance } from './conformance.js';

describe('rate limit none', () => {
  boundsConformance(async () => {
    const rateLimit = new NoRateLimit();
    return { rateLimit, other: rateLimit, pass: async () => undefined, end: () => rateLimit.close() };
  });

  it('allows everything', async () => {
    const rateLimit = new NoRateLimit();
    const rule = { identifier: 'api', limit: 1, windowMs: 60_000 };
    for (const cost of [1, 1, 5]) {
      expect(await rateLimit.check(rule, 'a', cost)).toEqual({
        allowed: true,
        limit: 1,
        remaining: 1,
        resetSeconds: 60,
      });
    }
  });
});
