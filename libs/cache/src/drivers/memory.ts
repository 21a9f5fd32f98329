import { checkAmount, checkLimit, checkTtl, invalidCursor } from '../arguments.js';
import { CacheFull, CacheUnavailable, CacheValueNotInteger } from '../failures.js';
import { sumOf } from '../integer.js';
import { MemoryEntries } from '../memory/entries.js';
import type { Cache, CacheEntry, CachePage } from '../port.js';

export interface MemoryCacheOptions {
  /** Most entries that may be evicted, expired ones included until they are met or swept. */
  readonly capacity: number;
  /** Most bytes of entries that may be evicted, and of those that may not. Absent: 64 MiB. */
  readonly mostBytes?: number;
  /** Called for each entry of an app that did not fit. */
  readonly onFull?: (appId: string) => void;
  /** For entries that bring no time of their own; 0 does not expire. */
  readonly defaultTtlMs: number;
  /** Time between two removals of expired entries. */
  readonly cleanupIntervalMs: number;
  /** A clock that never goes back. Absent: the process's own. */
  readonly now?: () => number;
}

const DEFAULT_BYTES = 64 * 1024 * 1024;

/** A delay beyond this would end at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Driver `memory`: a map of this process that no other sees and that ends with it. An operation is one uninterrupted
 * step, so it is atomic. Which entries stay when it is full: see `MemoryEntries`.
 */
export class MemoryCache implements Cache {
  readonly #entries: MemoryEntries;
  readonly #now: () => number;
  readonly #defaultTtlMs: number;
  readonly #sweep: NodeJS.Timeout;
  readonly #onFull: (appId: string) => void;
  #closed = false;

  constructor(options: MemoryCacheOptions) {
    const { capacity, mostBytes = DEFAULT_BYTES, defaultTtlMs, cleanupIntervalMs, now } = options;
    this.#onFull = options.onFull ?? (() => undefined);
    this.#now = now ?? (() => performance.now());
    this.#entries = new MemoryEntries(capacity, mostBytes, this.#now);
    this.#defaultTtlMs = defaultTtlMs;
    const everyMs = Math.min(cleanupIntervalMs, LONGEST_TIMER_MS);
    this.#sweep = setInterval(() => this.#entries.removeExpired(), everyMs).unref();
  }

  /** Entries held, expired ones included until they are met or swept. */
  get size(): number {
    return this.#entries.size;
  }

  /** Bytes held: `kept` may not be evicted, `passing` may. */
  get heldBytes(): { readonly kept: number; readonly passing: number } {
    return { kept: this.#entries.keptBytes, passing: this.#entries.passingBytes };
  }

  async has(name: string): Promise<boolean> {
    return this.#open().find(name) !== undefined;
  }

  async get(name: string): Promise<string | null> {
    return this.#open().find(name)?.value ?? null;
  }

  async entry(name: string): Promise<CacheEntry | null> {
    const entry = this.#open().find(name);
    if (entry === undefined) return null;
    const { value, expiresAtMs } = entry;
    return { value, ttlMs: expiresAtMs === Infinity ? null : Math.ceil(expiresAtMs - this.#now()) };
  }

  async set(name: string, value: string, ttlMs: number = this.#defaultTtlMs): Promise<void> {
    checkTtl(ttlMs);
    const entries = this.#open();
    const entry = entries.find(name);
    if (entry === undefined) this.#create(name, value, ttlMs);
    else entries.rewrite(entry, value, ttlMs);
  }

  async remove(name: string): Promise<boolean> {
    const entries = this.#open();
    const entry = entries.find(name);
    if (entry === undefined) return false;
    entries.remove(entry);
    return true;
  }

  async setIfAbsent(name: string, value: string, ttlMs: number): Promise<boolean> {
    checkTtl(ttlMs);
    const entries = this.#open();
    if (entries.find(name) !== undefined) return false;
    this.#create(name, value, ttlMs);
    return true;
  }

  async compareAndSwap(name: string, expected: string, value: string, ttlMs: number): Promise<boolean> {
    checkTtl(ttlMs);
    const entries = this.#open();
    const entry = entries.find(name);
    if (entry?.value !== expected) return false;
    entries.rewrite(entry, value, ttlMs);
    return true;
  }

  async compareAndRemove(name: string, expected: string): Promise<boolean> {
    const entries = this.#open();
    const entry = entries.find(name);
    if (entry?.value !== expected) return false;
    entries.remove(entry);
    return true;
  }

  async incrementBy(name: string, amount: number, ttlMs: number): Promise<number> {
    checkAmount(amount);
    checkTtl(ttlMs);
    const entries = this.#open();
    const entry = entries.find(name);
    const sum = sumOf(entry?.value ?? '0', amount);
    if (sum === null) throw new CacheValueNotInteger(name);
    if (entry === undefined) this.#create(name, String(sum), ttlMs);
    else entry.value = String(sum);
    return sum;
  }

  async scanPrefix(prefix: string, cursor: string | null, limit: number): Promise<CachePage> {
    checkLimit(limit);
    if (cursor !== null && !/^\d{1,15}$/.test(cursor)) throw invalidCursor(cursor);
    const names: string[] = [];
    let last = 0;
    for (const { name, order } of this.#open().madeAfter(Number(cursor ?? 0))) {
      if (!name.startsWith(prefix)) continue;
      if (names.length === limit) return { names, cursor: String(last) };
      names.push(name);
      last = order;
    }
    return { names, cursor: null };
  }

  async health(): Promise<string | null> {
    if (this.#closed) return 'the cache is closed';
    return this.#entries.isFull ? 'the cache is full of entries that may not be evicted' : null;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#sweep);
    this.#entries.clear();
  }

  #create(name: string, value: string, ttlMs: number): void {
    try {
      this.#entries.create(name, value, ttlMs);
    } catch (error) {
      if (error instanceof CacheFull) this.#onFull(error.owner);
      throw error;
    }
  }

  #open(): MemoryEntries {
    if (this.#closed) throw new CacheUnavailable('The cache is closed');
    return this.#entries;
  }
}
