export { type Cache, type CacheEntry, type CachePage } from './port.js';
