/** Allowed amount in a window. */
export interface RateRule {
  /** Names the limit in the store, for example `api`. */
  readonly identifier: string;
  /** A whole number; 0 refuses everything that costs something. */
  readonly limit: number;
  /** A whole number, at least 1. */
  readonly windowMs: number;
}

/** Result of one check. */
export interface RateVerdict {
  readonly allowed: boolean;
  readonly limit: number;
  /** Never below 0. */
  readonly remaining: number;
  /** Whole seconds, at least 1: the value of `X-RateLimit-Reset` and, when refused, `Retry-After`. */
  readonly resetSeconds: number;
}

/**
 * Two limiting algorithms; their subjects are independent. Check and count are atomic per (identifier, subject):
 * `cost` (an integer, default 1, 0 counts nothing) is counted completely or not at all, and is always refused above
 * the limit. Rejects with `RateLimitUnavailable` if the store is unreachable; the caller then refuses. An invalid
 * number rejects with a `RangeError`.
 */
export interface RateLimit {
  /**
   * Sliding log: refused while the last `windowMs` hold `limit` counted ones. `resetSeconds` is the window.
   */
  check(rule: RateRule, subject: string, cost?: number): Promise<RateVerdict>;
  /**
   * Token bucket with `limit` tokens, refilled evenly within `windowMs`. `resetSeconds` is the time until it is full;
   * if refused, until it holds the cost.
   */
  take(rule: RateRule, subject: string, cost?: number): Promise<RateVerdict>;
  /** Reason why the limiter is unhealthy; null if healthy. Never rejects. */
  health(): Promise<string | null>;
  /** Idempotent. Afterwards every check rejects with `RateLimitUnavailable`. */
  close(): Promise<void>;
}
