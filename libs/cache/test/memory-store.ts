import { MemoryCache, type MemoryCacheOptions } from '../src/index.js';
import { HOUR_MS, type Store } from './conformance/store.js';

/** A memory cache with a manual clock. */
export function memoryStore(
  options: Partial<MemoryCacheOptions> = {},
): Store & { readonly cache: MemoryCache } {
  let nowMs = 0;
  const cache = new MemoryCache({
    capacity: 10_000,
    defaultTtlMs: HOUR_MS,
    cleanupIntervalMs: HOUR_MS,
    now: () => nowMs,
    ...options,
  });
  return {
    cache,
    other: cache,
    pass: async (ms) => {
      nowMs += ms;
    },
    end: () => cache.close(),
  };
}
