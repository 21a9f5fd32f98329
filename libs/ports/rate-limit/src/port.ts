/** How much is allowed in any window of this length. */
export interface RateRule {
  /** Names the limit in the store, for example `api`. */
  readonly identifier: string;
  /** A whole number; 0 refuses everything that costs something. */
  readonly limit: number;
  /** A whole number, at least 1. */
  readonly windowMs: number;
}

/** What became of one check. */
export interface RateVerdict {
  readonly allowed: boolean;
  readonly limit: number;
  /** Never below 0. */
  readonly remaining: number;
  /** Whole seconds of the window, at least 1: the value of `X-RateLimit-Reset` and, when refused, `Retry-After`. */
  readonly resetSeconds: number;
}

/**
 * Sliding log: a check counts when it is allowed, and is refused while the last `windowMs` hold `limit` counted ones.
 * Check and count are one atomic step per (identifier, subject). Rejects with `RateLimitUnavailable` when the store
 * cannot be reached; the caller then refuses. A number out of its bounds rejects with a `RangeError`.
 */
export interface RateLimit {
  /** Counts `cost` (a whole number, default 1, 0 counts nothing) at once or not at all. A cost above the limit is always refused. */
  check(rule: RateRule, subject: string, cost?: number): Promise<RateVerdict>;
  /** Null when healthy, else what is wrong. Never rejects. */
  health(): Promise<string | null>;
  /** Idempotent. Afterwards every check rejects with `RateLimitUnavailable`. */
  close(): Promise<void>;
}
