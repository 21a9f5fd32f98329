import type { Config } from '@carillon/config';
import {
  CONFIG,
  HEALTH,
  type Health,
  LOGGING,
  type Logging,
  SHUTDOWN,
  type Shutdown,
  STARTUP,
  type Startup,
} from '@carillon/runtime';
import { Global, Module } from '@nestjs/common';
import { openCache } from './drivers.js';
import { CacheUnavailable } from './failures.js';
import type { Cache } from './port.js';

/** Token of the `Cache`. */
export const CACHE = Symbol('cache');

const PART = 'cache';

async function requireHealthy(cache: Cache): Promise<void> {
  const wrong = await cache.health();
  if (wrong !== null) throw new CacheUnavailable(wrong);
}

/** A cache tied to the life of the process: reached at start, checked by `/up`, released at the stop. */
async function openForProcess(
  config: Config,
  logging: Logging,
  startup: Startup,
  health: Health,
  shutdown: Shutdown,
): Promise<Cache> {
  const log = logging.for('service::cache');
  const cache = await openCache(config, {
    lost: (reason) => log.warn('connection to the cache lost', { error: reason, retryable: true }),
    restored: () => log.info('connection to the cache is back'),
  });
  const check = (): Promise<void> => requireHealthy(cache);
  startup.needs({ name: PART, connect: check });
  if (config.cache.driver !== 'none') health.register({ part: PART, severity: 'critical', check });
  shutdown.onShutdown('disconnect', PART, () => cache.close());
  return cache;
}

/** The configured cache, for the whole process. Needs `RuntimeModule`. */
@Global()
@Module({
  providers: [
    { provide: CACHE, inject: [CONFIG, LOGGING, STARTUP, HEALTH, SHUTDOWN], useFactory: openForProcess },
  ],
  exports: [CACHE],
})
export class CacheModule {}
