// Real engines for tests: import { engine } from '@carillon/test-backends'.
export { cached } from './acquire/cache.js';
export { ENGINE_NAMES } from './catalogue.js';
export { engine } from './engine.js';
export { EngineHandle } from './handle.js';
export { SENTINEL_MASTER } from './engines/redis-sentinel.js';
export { processorTimes, startAll, stopAll, whyMissing } from './together.js';
export { postgresQuery } from './wire/postgres.js';
