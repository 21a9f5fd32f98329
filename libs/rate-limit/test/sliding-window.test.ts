import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memorySubject } from './manual-clock.js';

/** The rule in its plainest form: every counted unit with its time. */
class NaiveModel {
  #units: number[] = [];

  check(
    nowMs: number,
    limit: number,
    windowMs: number,
    cost: number,
  ): { allowed: boolean; remaining: number } {
    this.#units = this.#units.filter((atMs) => atMs > nowMs - windowMs);
    const allowed = this.#units.length + cost <= limit;
    if (allowed) this.#units.push(...Array.from({ length: cost }, () => nowMs));
    return { allowed, remaining: Math.max(0, limit - this.#units.length) };
  }
}

const WINDOW_MS = 50;

describe('the sliding window', () => {
  it('is not fixed: five at 59 s leave no room for five more at 61 s', async () => {
    const { rateLimit, pass } = memorySubject();
    const rule = { identifier: 'api', limit: 5, windowMs: 60_000 };
    const five = async () => {
      const verdicts = [];
      for (let index = 0; index < 5; index += 1) verdicts.push((await rateLimit.check(rule, 'a')).allowed);
      return verdicts;
    };
    await pass(59_000);
    expect(await five()).toEqual([true, true, true, true, true]);
    await pass(2000);
    expect(await five()).toEqual([false, false, false, false, false]);
  });

  it('ends exactly one window after the check', async () => {
    const { rateLimit, pass } = memorySubject();
    const rule = { identifier: 'api', limit: 1, windowMs: 1000 };
    await rateLimit.check(rule, 'a');
    await pass(999);
    expect((await rateLimit.check(rule, 'a')).allowed).toBe(false);
    await pass(1);
    expect((await rateLimit.check(rule, 'a')).allowed).toBe(true);
  });

  it('answers any sequence of checks as the naive model does, also with a limit that changes', async () => {
    const step = fc.record({
      passMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 20 }), fc.constant(WINDOW_MS)),
      cost: fc.integer({ min: 0, max: 4 }),
      limit: fc.oneof({ weight: 9, arbitrary: fc.constant(20) }, fc.integer({ min: 0, max: 40 })),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 150 }), async (steps) => {
        const { rateLimit, pass } = memorySubject();
        const model = new NaiveModel();
        let nowMs = 0;
        for (const { passMs, cost, limit } of steps) {
          await pass(passMs);
          nowMs += passMs;
          const expected = model.check(nowMs, limit, WINDOW_MS, cost);
          const rule = { identifier: 'api', limit, windowMs: WINDOW_MS };
          expect(await rateLimit.check(rule, 'a', cost)).toMatchObject(expected);
        }
      }),
      { numRuns: 500 },
    );
  });
});
