import { RateLimitUnavailable } from '../failures.js';
import { Bucket } from '../memory/bucket.js';
import { SlidingLog } from '../memory/sliding-log.js';
import { Subjects } from '../memory/subjects.js';
import type { RateLimit, RateRule, RateVerdict } from '../port.js';
import { bucketVerdict, checkNumbers, verdict } from '../verdict.js';

export interface MemoryRateLimitOptions {
  /** Limit of remembered subjects of each kind; the least recently used is evicted and restarts. @default 100 000 */
  readonly capacity?: number;
  /** A clock in milliseconds that never goes back. Absent: the process's own. */
  readonly now?: () => number;
}

const CAPACITY = 100_000;

/** Driver `memory`: counts for this process alone. */
export class MemoryRateLimit implements RateLimit {
  /** Null once it is closed. */
  #kept: { readonly logs: Subjects<SlidingLog>; readonly buckets: Subjects<Bucket> } | null;
  readonly #now: () => number;

  constructor({ capacity = CAPACITY, now = () => performance.now() }: MemoryRateLimitOptions = {}) {
    const logs = new Subjects(capacity, () => new SlidingLog());
    this.#kept = { logs, buckets: new Subjects(capacity, () => new Bucket()) };
    this.#now = now;
  }

  /** Subjects remembered now. */
  get size(): number {
    return this.#kept === null ? 0 : this.#kept.logs.size + this.#kept.buckets.size;
  }

  async check(rule: RateRule, subject: string, cost = 1): Promise<RateVerdict> {
    checkNumbers(rule, cost);
    const nowMs = Math.floor(this.#now());
    const log = this.#opened().logs.use(`${rule.identifier}:${subject}`, nowMs);
    const counted = log.countAt(nowMs, rule.windowMs);
    const allowed = counted + cost <= rule.limit;
    if (allowed && cost > 0) log.add(nowMs, cost);
    return verdict(rule, allowed, allowed ? counted + cost : counted);
  }

  async take(rule: RateRule, subject: string, cost = 1): Promise<RateVerdict> {
    checkNumbers(rule, cost);
    const nowMs = this.#now();
    const bucket = this.#opened().buckets.use(`${rule.identifier}:${subject}`, nowMs);
    const { allowed, missingMs } = bucket.take(rule, nowMs, cost);
    return bucketVerdict(rule, allowed, missingMs, cost);
  }

  async health(): Promise<string | null> {
    return this.#kept === null ? 'the rate limiter is closed' : null;
  }

  async close(): Promise<void> {
    this.#kept = null;
  }

  #opened() {
    if (this.#kept === null) throw new RateLimitUnavailable('The rate limiter is closed');
    return this.#kept;
  }
}
