import { RateLimitUnavailable } from '../failures.js';
import type { RateLimit, RateRule, RateVerdict } from '../port.js';
import { checkNumbers, verdict } from '../verdict.js';

/** Driver `none`: everything is allowed and nothing counted. */
export class NoRateLimit implements RateLimit {
  #closed = false;

  async check(rule: RateRule, _subject: string, cost = 1): Promise<RateVerdict> {
    checkNumbers(rule, cost);
    if (this.#closed) throw new RateLimitUnavailable('The rate limiter is closed');
    return verdict(rule, true, 0);
  }

  async take(rule: RateRule, subject: string, cost = 1): Promise<RateVerdict> {
    return this.check(rule, subject, cost);
  }

  async health(): Promise<string | null> {
    return this.#closed ? 'the rate limiter is closed' : null;
  }

  async close(): Promise<void> {
    this.#closed = true;
  }
}
