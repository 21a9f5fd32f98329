import type { RateRule, RateVerdict } from './port.js';

const MS_PER_SECOND = 1000;

const secondsOf = (ms: number): number => Math.max(1, Math.ceil(ms / MS_PER_SECOND));

/** The verdict for a subject whose window holds `counted` after the check. */
export function verdict({ limit, windowMs }: RateRule, allowed: boolean, counted: number): RateVerdict {
  return {
    allowed,
    limit,
    remaining: Math.max(0, limit - counted),
    resetSeconds: secondsOf(windowMs),
  };
}

/** Parts of a token by which a bucket may be wrong: times are rounded. */
export const SLACK = 0.01;

/** Result for a bucket that needs `missingMs` to be full after taking `cost`. */
export function bucketVerdict(
  { limit, windowMs }: RateRule,
  allowed: boolean,
  missingMs: number,
  cost: number,
): RateVerdict {
  const tokenMs = windowMs / limit;
  const waitMs = allowed ? missingMs : missingMs + cost * tokenMs - windowMs;
  return {
    allowed,
    limit,
    remaining: Math.max(0, Math.floor((windowMs - missingMs) / tokenMs + SLACK)),
    resetSeconds: secondsOf(Math.min(waitMs, windowMs)),
  };
}

const whole = (value: number, min: number): boolean => Number.isSafeInteger(value) && value >= min;

/** Throws a `RangeError` for numbers that no window can be made of. */
export function checkNumbers({ limit, windowMs }: RateRule, cost: number): void {
  if (!whole(limit, 0)) throw new RangeError(`limit must be a whole number of at least 0, got ${limit}`);
  if (!whole(windowMs, 1))
    throw new RangeError(`windowMs must be a whole number of at least 1, got ${windowMs}`);
  if (!whole(cost, 0)) throw new RangeError(`cost must be a whole number of at least 0, got ${cost}`);
}
