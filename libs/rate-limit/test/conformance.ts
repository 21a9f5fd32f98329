import { describe, expect, it } from 'vitest';
import { type RateLimit, RateLimitUnavailable, type RateRule } from '../src/index.js';

/** One empty limiter as a test sees it. */
export interface Subject {
  readonly rateLimit: RateLimit;
  /** The same store as another process has it; for a limiter inside the process the same object. */
  readonly other: RateLimit;
  /** Lets that much time go by for the store. */
  pass(ms: number): Promise<void>;
  /** Closes both. */
  end(): Promise<void>;
}

export type OpenSubject = () => Promise<Subject>;

const withLimiter =
  (open: OpenSubject, work: (subject: Subject) => Promise<void>): (() => Promise<void>) =>
  async () => {
    const subject = await open();
    try {
      await work(subject);
    } finally {
      await subject.end();
    }
  };

/** A window that no test sees the end of. */
const WIDE_MS = 600_000;
/** One that tests wait for, with time enough for a few calls to a busy server. */
const NARROW_MS = 2000;

const rule = (limit: number, windowMs = WIDE_MS, identifier = 'api'): RateRule => ({
  identifier,
  limit,
  windowMs,
});

async function allowedOf(
  times: number,
  check: () => Promise<{ readonly allowed: boolean }>,
): Promise<boolean[]> {
  const results = [];
  for (let index = 0; index < times; index += 1) results.push((await check()).allowed);
  return results;
}

/** Requirements of drivers that count. */
export function conformance(driver: string, open: OpenSubject): void {
  describe(`rate limit ${driver}`, () => {
    it(
      'allows as much as the limit and says how much is left',
      withLimiter(open, async ({ rateLimit }) => {
        const verdicts = [];
        for (let index = 0; index < 4; index += 1) verdicts.push(await rateLimit.check(rule(3), 'a'));
        const common = { limit: 3, resetSeconds: WIDE_MS / 1000 };
        expect(verdicts).toEqual([
          { ...common, allowed: true, remaining: 2 },
          { ...common, allowed: true, remaining: 1 },
          { ...common, allowed: true, remaining: 0 },
          { ...common, allowed: false, remaining: 0 },
        ]);
      }),
    );

    it(
      'counts every subject, and every identifier, by itself, and all processes together',
      withLimiter(open, async ({ rateLimit, other }) => {
        expect(await allowedOf(2, () => rateLimit.check(rule(1), 'a'))).toEqual([true, false]);
        expect(await allowedOf(2, () => other.check(rule(1), 'a'))).toEqual([false, false]);
        expect(await allowedOf(2, () => other.check(rule(1), 'b'))).toEqual([true, false]);
        expect(await allowedOf(2, () => rateLimit.check(rule(1, WIDE_MS, 'ws'), 'a'))).toEqual([true, false]);
      }),
    );

    it(
      'takes subjects as they are',
      withLimiter(open, async ({ rateLimit }) => {
        for (const subject of ['', '::1', '{a}', '*', 'é:😀', 'x'.repeat(500)]) {
          expect(await allowedOf(2, () => rateLimit.check(rule(1), subject))).toEqual([true, false]);
        }
      }),
    );

    it(
      'counts a cost whole or not at all',
      withLimiter(open, async ({ rateLimit }) => {
        expect(await rateLimit.check(rule(10), 'a', 11)).toMatchObject({ allowed: false, remaining: 10 });
        expect(await rateLimit.check(rule(10), 'a', 7)).toMatchObject({ allowed: true, remaining: 3 });
        expect(await rateLimit.check(rule(10), 'a', 4)).toMatchObject({ allowed: false, remaining: 3 });
        expect(await rateLimit.check(rule(10), 'a', 0)).toMatchObject({ allowed: true, remaining: 3 });
        expect(await rateLimit.check(rule(10), 'a', 3)).toMatchObject({ allowed: true, remaining: 0 });
        expect(await rateLimit.check(rule(10), 'a')).toMatchObject({ allowed: false, remaining: 0 });
      }),
    );

    it(
      'counts a large cost at once',
      withLimiter(open, async ({ rateLimit }) => {
        expect(await rateLimit.check(rule(20_000), 'a', 19_999)).toMatchObject({
          allowed: true,
          remaining: 1,
        });
        expect(await rateLimit.check(rule(20_000), 'a', 2)).toMatchObject({ allowed: false, remaining: 1 });
      }),
    );

    it(
      'refuses everything with a limit of 0',
      withLimiter(open, async ({ rateLimit }) => {
        expect(await rateLimit.check(rule(0), 'a')).toMatchObject({ allowed: false, limit: 0, remaining: 0 });
      }),
    );

    it(
      'applies a limit that changed to what was counted before',
      withLimiter(open, async ({ rateLimit }) => {
        await rateLimit.check(rule(5), 'a', 5);
        expect(await rateLimit.check(rule(3), 'a')).toMatchObject({ allowed: false, limit: 3, remaining: 0 });
        expect(await rateLimit.check(rule(7), 'a')).toMatchObject({ allowed: true, limit: 7, remaining: 1 });
      }),
    );

    it(
      'slides: what was counted is free again one window later, and what was refused never counted',
      withLimiter(open, async ({ rateLimit, pass }) => {
        const narrow = rule(2, NARROW_MS);
        expect(await allowedOf(4, () => rateLimit.check(narrow, 'a'))).toEqual([true, true, false, false]);
        await pass(NARROW_MS + 5);
        expect(await allowedOf(3, () => rateLimit.check(narrow, 'a'))).toEqual([true, true, false]);
      }),
    );

    it(
      'lets exactly as many through as the limit when all come at once',
      withLimiter(open, async ({ rateLimit, other }) => {
        const checks = Array.from({ length: 60 }, (_, index) =>
          (index % 2 === 0 ? rateLimit : other).check(rule(25), 'a'),
        );
        const verdicts = await Promise.all(checks);
        const allowed = verdicts.filter((one) => one.allowed).map(({ remaining }) => remaining);
        expect(allowed.sort((one, two) => two - one)).toEqual(
          Array.from({ length: 25 }, (_, index) => 24 - index),
        );
      }),
    );

    it(
      'takes from a bucket that fills evenly: a burst, then a token whenever one is there',
      withLimiter(open, async ({ rateLimit, other, pass }) => {
        const bucket = rule(2, 2 * NARROW_MS, 'mcp');
        expect(await allowedOf(3, () => rateLimit.take(bucket, 'a'))).toEqual([true, true, false]);
        await pass(NARROW_MS);
        expect(await allowedOf(2, () => other.take(bucket, 'a'))).toEqual([true, false]);
        expect(await rateLimit.take(bucket, 'b')).toMatchObject({ allowed: true, remaining: 1 });
        expect(await rateLimit.check(bucket, 'a')).toMatchObject({ allowed: true, remaining: 1 });
      }),
    );

    it(
      'takes a cost from a bucket whole or not at all, and says when it will be there',
      withLimiter(open, async ({ rateLimit }) => {
        const bucket = rule(10);
        const seconds = WIDE_MS / 1000;
        expect(await rateLimit.take(bucket, 'a', 11)).toMatchObject({ allowed: false, remaining: 10 });
        expect(await rateLimit.take(bucket, 'a', 7)).toMatchObject({ allowed: true, remaining: 3 });
        expect(await rateLimit.take(bucket, 'a', 5)).toMatchObject({
          allowed: false,
          remaining: 3,
          resetSeconds: (2 * seconds) / 10,
        });
        expect(await rateLimit.take(bucket, 'a', 0)).toMatchObject({ allowed: true, remaining: 3 });
        expect(await rateLimit.take(bucket, 'a', 3)).toMatchObject({ allowed: true, remaining: 0 });
        expect(await rateLimit.take(rule(0), 'b')).toMatchObject({ allowed: false, remaining: 0 });
        expect(await rateLimit.take(rule(0), 'b', 0)).toMatchObject({ allowed: true, remaining: 0 });
      }),
    );

    it(
      'lets exactly as much through as a full bucket holds when all come at once',
      withLimiter(open, async ({ rateLimit, other }) => {
        const takes = Array.from({ length: 60 }, (_, index) =>
          (index % 2 === 0 ? rateLimit : other).take(rule(21), 'a'),
        );
        const verdicts = await Promise.all(takes);
        expect(verdicts.filter(({ allowed }) => allowed)).toHaveLength(21);
      }),
    );

    boundsConformance(open);
  });
}

/** Reactions of every driver to invalid numbers and after its end, including the one that counts nothing. */
export function boundsConformance(open: OpenSubject): void {
  describe('bounds', () => {
    it.each([
      [1, 1],
      [1000, 1],
      [1001, 2],
      [60_000, 60],
    ])('says the window of %i ms as %i seconds', (windowMs, seconds) =>
      withLimiter(open, async ({ rateLimit }) => {
        expect((await rateLimit.check(rule(1, windowMs), 'a')).resetSeconds).toBe(seconds);
      })(),
    );

    it.each([
      ['a negative limit', rule(-1), 1],
      ['half a limit', rule(0.5), 1],
      ['an endless limit', rule(Infinity), 1],
      ['no window', rule(1, 0), 1],
      ['half a window', rule(1, 0.5), 1],
      ['a negative cost', rule(1), -1],
      ['half a cost', rule(1), 0.5],
      ['no number', rule(Number.NaN), 1],
    ])('refuses %s', (_, bad, cost) =>
      withLimiter(open, async ({ rateLimit }) => {
        await expect(rateLimit.check(bad, 'a', cost)).rejects.toThrow(RangeError);
        await expect(rateLimit.take(bad, 'a', cost)).rejects.toThrow(RangeError);
      })(),
    );

    it(
      'is healthy while open, and rejects after its end',
      withLimiter(open, async ({ rateLimit }) => {
        expect(await rateLimit.health()).toBeNull();
        await rateLimit.close();
        await rateLimit.close();
        expect(await rateLimit.health()).toBeTypeOf('string');
        await expect(rateLimit.check(rule(1), 'a')).rejects.toThrow(RateLimitUnavailable);
        await expect(rateLimit.take(rule(1), 'a')).rejects.toThrow(RateLimitUnavailable);
        await expect(rateLimit.check(rule(1), 'a')).rejects.toMatchObject({
          code: 'service_unavailable',
          status: 503,
          headers: { 'retry-after': '1' },
        });
      }),
    );
  });
}
