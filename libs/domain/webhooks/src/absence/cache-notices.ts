import { randomUUID } from 'node:crypto';
import type { Cache } from '@carillon/cache';
import { cacheKeys } from '@carillon/contract';
import type { Notices } from './shared-absences.js';

/** Told to be there. A departure is any other value. */
const HERE = 'here';
/** A place that nobody came to or left for so long is forgotten: nothing is told twice for that, nor left out. */
const TTL_MS = 24 * 60 * 60 * 1000;
/** Others may change the notice between a look and a change of this process. */
const MOST_TRIES = 8;

/** How long the mark of a store lasts. One that is gone by then costs nothing but a notice that is sent twice. */
const MARK_TTL_MS = 30 * TTL_MS;
/** How long after a loss was noticed everybody says again who is there. */
const SAID_AGAIN_MS = 60_000;

/** Notices in the shared cache. A mark beside them tells a store that has lost everything from the one before. */
export class CacheNotices implements Notices {
  /** Null: not known yet. */
  #mark: string | null = null;
  #lostAtMs = -Infinity;

  constructor(
    private readonly cache: Pick<
      Cache,
      'compareAndRemove' | 'compareAndSwap' | 'get' | 'set' | 'setIfAbsent'
    >,
  ) {}

  async begin(): Promise<void> {
    this.#mark ??= await this.#readMark();
  }

  async came(key: string, isAgain: boolean): Promise<boolean> {
    const { cache } = this;
    await this.begin();
    const isKnown = isAgain && (await this.#wasLost());
    const name = cacheKeys.webhookNotice(key);
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      if (await cache.setIfAbsent(name, HERE, TTL_MS)) return !isKnown;
      const value = await cache.get(name);
      // Whoever went may not have said so yet, and will find that somebody is there.
      if (value === HERE) return false;
      if (value !== null && (await cache.compareAndSwap(name, value, HERE, TTL_MS))) return false;
    }
    return false;
  }

  /** Whether the store has lost everything lately. */
  async #wasLost(): Promise<boolean> {
    const mark = await this.#readMark();
    if (mark !== this.#mark) this.#lostAtMs = performance.now();
    this.#mark = mark;
    return performance.now() - this.#lostAtMs < SAID_AGAIN_MS;
  }

  async #readMark(): Promise<string> {
    const { cache } = this;
    const own = randomUUID();
    if (await cache.setIfAbsent(cacheKeys.webhookMark, own, MARK_TTL_MS)) return own;
    return (await cache.get(cacheKeys.webhookMark)) ?? own;
  }

  went(key: string, departure: string): Promise<void> {
    return this.cache.set(cacheKeys.webhookNotice(key), departure, TTL_MS);
  }

  gone(key: string, departure: string): Promise<boolean> {
    return this.cache.compareAndRemove(cacheKeys.webhookNotice(key), departure);
  }
}
