import { RateLimitUnavailable } from '../failures.js';
import { Subjects } from '../memory/subjects.js';
import type { RateLimit, RateRule, RateVerdict } from '../port.js';
import { checkNumbers, verdict } from '../verdict.js';

export interface MemoryRateLimitOptions {
  /** Most subjects remembered; the least recently used is dropped, and then starts anew. Absent: 100 000. */
  readonly capacity?: number;
  /** A clock in milliseconds that never goes back. Absent: the process's own. */
  readonly now?: () => number;
}

const CAPACITY = 100_000;

/** Driver `memory`: counts for this process alone. */
export class MemoryRateLimit implements RateLimit {
  #subjects: Subjects;
  readonly #now: () => number;
  #closed = false;

  constructor({ capacity = CAPACITY, now = () => performance.now() }: MemoryRateLimitOptions = {}) {
    this.#subjects = new Subjects(capacity);
    this.#now = now;
  }

  /** Subjects remembered now. */
  get size(): number {
    return this.#subjects.size;
  }

  async check(rule: RateRule, subject: string, cost = 1): Promise<RateVerdict> {
    checkNumbers(rule, cost);
    if (this.#closed) throw new RateLimitUnavailable('The rate limiter is closed');
    const nowMs = Math.floor(this.#now());
    const log = this.#subjects.use(`${rule.identifier}:${subject}`, nowMs);
    const counted = log.countAt(nowMs, rule.windowMs);
    const allowed = counted + cost <= rule.limit;
    if (allowed && cost > 0) log.add(nowMs, cost);
    return verdict(rule, allowed, allowed ? counted + cost : counted);
  }

  async health(): Promise<string | null> {
    return this.#closed ? 'the rate limiter is closed' : null;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#subjects = new Subjects(0);
  }
}
