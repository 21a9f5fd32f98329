import type { Cache } from '@carillon/cache';
import { cacheKeys } from '@carillon/contract';
import type { Notices } from './shared-absences.js';

/** Told to be there. A departure is any other value. */
const HERE = 'here';
/** A place that nobody came to or left for so long is forgotten: nothing is told twice for that, nor left out. */
const TTL_MS = 24 * 60 * 60 * 1000;
/** Others may change the notice between a look and a change of this process. */
const MOST_TRIES = 8;

/** Notices in the shared cache. */
export class CacheNotices implements Notices {
  constructor(
    private readonly cache: Pick<
      Cache,
      'compareAndRemove' | 'compareAndSwap' | 'get' | 'set' | 'setIfAbsent'
    >,
  ) {}

  async came(key: string): Promise<boolean> {
    const { cache } = this;
    const name = cacheKeys.webhookNotice(key);
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      if (await cache.setIfAbsent(name, HERE, TTL_MS)) return true;
      const value = await cache.get(name);
      // Whoever went may not have said so yet, and will find that somebody is there.
      if (value === HERE) return false;
      if (value !== null && (await cache.compareAndSwap(name, value, HERE, TTL_MS))) return false;
    }
    return false;
  }

  went(key: string, departure: string): Promise<void> {
    return this.cache.set(cacheKeys.webhookNotice(key), departure, TTL_MS);
  }

  gone(key: string, departure: string): Promise<boolean> {
    return this.cache.compareAndRemove(cacheKeys.webhookNotice(key), departure);
  }
}
