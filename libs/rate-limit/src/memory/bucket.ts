import type { RateRule } from '../port.js';
import { SLACK } from '../verdict.js';

/** Token bucket with a steady refill, stored as the time at which it is full. */
export class Bucket {
  #fullAtMs = -Infinity;

  /** Takes the cost, or nothing of it when it is not there; how long the bucket then needs to be full. */
  take({ limit, windowMs }: RateRule, nowMs: number, cost: number): { allowed: boolean; missingMs: number } {
    const missingMs = Math.max(0, this.#fullAtMs - nowMs);
    if (cost === 0) return { allowed: true, missingMs };
    if (limit === 0) return { allowed: false, missingMs };
    const tokenMs = windowMs / limit;
    const afterMs = missingMs + cost * tokenMs;
    if (afterMs > windowMs + tokenMs * SLACK) return { allowed: false, missingMs };
    this.#fullAtMs = nowMs + afterMs;
    return { allowed: true, missingMs: afterMs };
  }

  /** Whether it is as a new one at this time. */
  isOver(nowMs: number): boolean {
    return this.#fullAtMs <= nowMs;
  }
}
