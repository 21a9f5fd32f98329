export { CACHE_DRIVERS, openCache, type CacheConfig } from './drivers.js';
export { MemoryCache, type MemoryCacheOptions } from './drivers/memory.js';
export { CacheFull, CacheUnavailable, CacheValueNotInteger } from './failures.js';
export { INSTALLATION_PREFIX, installationId } from './installation.js';
export { CACHE, CacheModule } from './module.js';
export { type Cache, type CacheEntry, type CachePage } from './port.js';
