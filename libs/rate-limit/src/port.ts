/** How much is allowed in a window of this length. */
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
  /** Whole seconds, at least 1: the value of `X-RateLimit-Reset` and, when refused, `Retry-After`. */
  readonly resetSeconds: number;
}

/**
 * Two ways to hold somebody to a rule; a subject of one is none of the other. Looking and counting are one atomic step
 * per (identifier, subject): `cost` (a whole number, default 1, 0 counts nothing) counts at once or not at all, and above
 * the limit it is always refused. Rejects with `RateLimitUnavailable` when the store cannot be reached; the caller then
 * refuses. A number out of its bounds rejects with a `RangeError`.
 */
export interface RateLimit {
  /**
   * Sliding log: refused while the last `windowMs` hold `limit` counted ones. `resetSeconds` is the window.
   */
  check(rule: RateRule, subject: string, cost?: number): Promise<RateVerdict>;
  /**
   * Token bucket: holds `limit` tokens and is filled evenly, a whole bucket in `windowMs`. `resetSeconds` tells when it is
   * full again; when refused, when it holds the cost.
   */
  take(rule: RateRule, subject: string, cost?: number): Promise<RateVerdict>;
  /** Null when healthy, else what is wrong. Never rejects. */
  health(): Promise<string | null>;
  /** Idempotent. Afterwards every check rejects with `RateLimitUnavailable`. */
  close(): Promise<void>;
}
