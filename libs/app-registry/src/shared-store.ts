import type { Config } from '@carillon/config';
import type { SharedAppCache } from './shared-app-cache.js';

/** The cache operations that app records need; implemented by `Cache` of `@carillon/cache`. */
export interface SharedStore {
  get(name: string): Promise<string | null>;
  /** 0 milliseconds never expires. */
  set(name: string, value: string, ttlMs: number): Promise<void>;
  remove(name: string): Promise<boolean>;
}

/**
 * The cache drivers that are shared by nodes. An in-process cache would only duplicate the index and outlive its age
 * limit.
 */
const SHARED: ReadonlySet<Config['cache']['driver']> = new Set(['redis', 'redis-cluster'] as const);

/** Returns the cache of app records, or undefined if nodes do not share a cache. */
export function sharedAppCache(
  driver: Config['cache']['driver'],
  store: SharedStore,
): SharedAppCache | undefined {
  if (!SHARED.has(driver)) return undefined;
  return {
    get: (key) => store.get(key),
    // Bounded, so that a setting of "practically for ever" stays an exact number.
    set: (key, value, ttlSeconds) =>
      store.set(key, value, Math.min(ttlSeconds * 1000, Number.MAX_SAFE_INTEGER)),
    async delete(keys) {
      await Promise.all(keys.map((key) => store.remove(key)));
    },
  };
}
