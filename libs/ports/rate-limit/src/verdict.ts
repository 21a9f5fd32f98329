import type { RateRule, RateVerdict } from './port.js';

const MS_PER_SECOND = 1000;

/** The verdict for a subject whose window holds `counted` after the check. */
export function verdict({ limit, windowMs }: RateRule, allowed: boolean, counted: number): RateVerdict {
  return {
    allowed,
    limit,
    remaining: Math.max(0, limit - counted),
    resetSeconds: Math.max(1, Math.ceil(windowMs / MS_PER_SECOND)),
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
