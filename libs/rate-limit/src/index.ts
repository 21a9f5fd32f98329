export { openRateLimit, RATE_LIMITER_DRIVERS, type RateLimitConfig } from './drivers.js';
export { MemoryRateLimit, type MemoryRateLimitOptions } from './drivers/memory.js';
export { RateLimitUnavailable } from './failures.js';
export { RATE_LIMIT, RateLimitModule } from './module.js';
export { type RateLimit, type RateRule, type RateVerdict } from './port.js';
