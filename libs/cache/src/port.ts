/** A value and how long it stays. */
export interface CacheEntry {
  readonly value: string;
  /** Null: it does not expire. */
  readonly ttlMs: number | null;
}

/**
 * The shared key-value store. Names are those of `cacheKeys` in `@carillon/contracts`; the driver puts the configured
 * prefixes in front, as written. Every operation is atomic per name and rejects with `CacheUnavailable` when the
 * store cannot be reached or has no room: there is never a fallback to a per-process copy. A ttl is a whole number of
 * milliseconds; 0 means the entry does not expire. An argument out of its bounds rejects with a `RangeError` and
 * changes nothing. Closing deletes nothing.
 */
export interface Cache {
  has(name: string): Promise<boolean>;
  /** Null: absent or expired. */
  get(name: string): Promise<string | null>;
  /** With the time left; null: absent or expired. */
  entry(name: string): Promise<CacheEntry | null>;
  /** Without a TTL the entry lives for `cache.memory.ttl`, for every driver. */
  set(name: string, value: string, ttlMs?: number): Promise<void>;
  /** True when it was there. */
  remove(name: string): Promise<boolean>;
  /** True when this call created the entry. */
  setIfAbsent(name: string, value: string, ttlMs: number): Promise<boolean>;
  /** True when the value was `expected` and is `value` now, with this ttl; the same value gives it another while. */
  compareAndSwap(name: string, expected: string, value: string, ttlMs: number): Promise<boolean>;
  /** True when the value was `expected` and the entry is gone now. */
  compareAndRemove(name: string, expected: string): Promise<boolean>;
  /**
   * Adds to an integer and returns the sum; the ttl is given to an entry created by it only. Rejects with
   * `CacheValueNotInteger` when the value is not an integer or the sum would not be a safe one, and changes nothing.
   */
  incrementBy(name: string, amount: number, ttlMs: number): Promise<number>;
  /**
   * One page of names that start with the prefix; `cursor` null begins, and a null cursor in the answer ends. The
   * limit is 1 to 1000; a page may be shorter, even empty, before the end, and on a shared store a little longer.
   */
  scanPrefix(prefix: string, cursor: string | null, limit: number): Promise<CachePage>;
  /** Reason why the cache is unhealthy; null if healthy. Never rejects. */
  health(): Promise<string | null>;
  /** Idempotent. Afterwards every operation rejects with `CacheUnavailable`. */
  close(): Promise<void>;
}

/** Names in no particular order; a name that exists throughout the scan is seen at least once. */
export interface CachePage {
  readonly names: readonly string[];
  readonly cursor: string | null;
}
