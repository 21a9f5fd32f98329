import type { Config } from '@carillon/config';
import type { SharedAppCache } from './shared-app-cache.js';

/** What app records need of the cache of the process; `Cache` of `@carillon/cache` is one. */
export interface SharedStore {
  get(name: string): Promise<string | null>;
  /** 0 milliseconds never expires. */
  set(name: string, value: string, ttlMs: number): Promise<void>;
  remove(name: string): Promise<boolean>;
}

/** Of others, one in the memory of this process would only hold what the index has, longer than that may be used. */
const SHARED: ReadonlySet<Config['cache']['driver']> = new Set(['redis', 'redis-cluster'] as const);

/** The app records' part of that cache; undefined when nodes do not share it. */
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
