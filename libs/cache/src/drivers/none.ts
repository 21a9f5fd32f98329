import { checkAmount, checkLimit, checkTtl } from '../arguments.js';
import { CacheUnavailable } from '../failures.js';
import type { Cache, CacheEntry, CachePage } from '../port.js';

/**
 * Driver `none`: reads miss, `set` is ignored, and operations that depend on stored state reject with
 * `CacheUnavailable`. Features that need a cache must be disabled with it.
 */
export class NoCache implements Cache {
  #closed = false;

  async has(_name: string): Promise<boolean> {
    this.#open();
    return false;
  }

  async get(_name: string): Promise<string | null> {
    this.#open();
    return null;
  }

  async entry(_name: string): Promise<CacheEntry | null> {
    this.#open();
    return null;
  }

  async set(_name: string, _value: string, ttlMs = 0): Promise<void> {
    checkTtl(ttlMs);
    this.#open();
  }

  async remove(_name: string): Promise<boolean> {
    this.#open();
    return false;
  }

  async setIfAbsent(_name: string, _value: string, ttlMs: number): Promise<boolean> {
    checkTtl(ttlMs);
    throw this.#cannot();
  }

  async compareAndSwap(_name: string, _expected: string, _value: string, ttlMs: number): Promise<boolean> {
    checkTtl(ttlMs);
    throw this.#cannot();
  }

  async compareAndRemove(_name: string, _expected: string): Promise<boolean> {
    throw this.#cannot();
  }

  async incrementBy(_name: string, amount: number, ttlMs: number): Promise<number> {
    checkAmount(amount);
    checkTtl(ttlMs);
    throw this.#cannot();
  }

  async scanPrefix(_prefix: string, _cursor: string | null, limit: number): Promise<CachePage> {
    checkLimit(limit);
    this.#open();
    return { names: [], cursor: null };
  }

  async health(): Promise<string | null> {
    return this.#closed ? 'the cache is closed' : null;
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  #open(): void {
    if (this.#closed) throw new CacheUnavailable('The cache is closed');
  }

  #cannot(): CacheUnavailable {
    return new CacheUnavailable(this.#closed ? 'The cache is closed' : 'There is no cache');
  }
}
