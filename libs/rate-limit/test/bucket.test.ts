import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memorySubject } from './manual-clock.js';

const WINDOW_MS = 60_000;

describe('the bucket', () => {
  it('gives one token as soon as it is there, not when the whole window is over', async () => {
    const { rateLimit, pass } = memorySubject();
    const rule = { identifier: 'mcp', limit: 2, windowMs: WINDOW_MS };
    for (const remaining of [1, 0]) expect(await rateLimit.take(rule, 'a')).toMatchObject({ remaining });
    expect(await rateLimit.take(rule, 'a')).toMatchObject({ allowed: false, resetSeconds: 30 });
    await pass(29_000);
    expect(await rateLimit.take(rule, 'a')).toMatchObject({ allowed: false, resetSeconds: 1 });
    await pass(1000);
    expect(await rateLimit.take(rule, 'a')).toMatchObject({ allowed: true, remaining: 0 });
  });

  it('never gives more than it held and what came since, whatever is asked for and when', async () => {
    const step = fc.record({ passMs: fc.nat(20_000), cost: fc.nat(4) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 100 }),
        fc.integer({ min: 1, max: 50 }),
        async (steps, limit) => {
          const { rateLimit, pass } = memorySubject();
          let [passedMs, given] = [0, 0];
          for (const { passMs, cost } of steps) {
            await pass(passMs);
            passedMs += passMs;
            const { allowed, remaining } = await rateLimit.take(
              { identifier: 'mcp', limit, windowMs: WINDOW_MS },
              'a',
              cost,
            );
            if (allowed) given += cost;
            else expect(remaining).toBeLessThan(cost);
            expect(given).toBeLessThanOrEqual(limit + (passedMs * limit) / WINDOW_MS + 0.02);
          }
        },
      ),
    );
  });
});
