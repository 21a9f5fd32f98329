import {
  type Logger,
  type Metrics,
  provider,
  RUNTIME,
  type RuntimeParts,
  serviceVersion,
  token,
} from '@carillon/runtime';
import { Global, Module } from '@nestjs/common';
import { openCache, type CacheObserver } from './drivers.js';
import { CacheUnavailable } from './failures.js';
import { InstallationMark } from './installation.js';
import type { Cache } from './port.js';

export const CACHE = token<Cache>('cache');

const PART = 'cache';

async function requireHealthy(cache: Cache): Promise<void> {
  const wrong = await cache.health();
  if (wrong !== null) throw new CacheUnavailable(wrong);
}

function countHeld(metrics: Metrics, log: Logger): CacheObserver {
  const refused = metrics.counter('cache_full_total');
  return {
    full: (app_id) => {
      refused.for({ app_id }).add();
      log.warn('the memory cache has no room for what may not be evicted', { app_id, retryable: true });
    },
    opened: (heldBytes) => {
      const held = metrics.gauge('cache_memory_bytes');
      metrics.onScrape(() => {
        const { kept, passing } = heldBytes();
        held.for({ kind: 'kept' }).set(kept);
        held.for({ kind: 'passing' }).set(passing);
      });
    },
  };
}

/** A cache tied to the life of the process: reached at start, checked by `/up`, released at the stop. */
async function openForProcess(parts: RuntimeParts): Promise<Cache> {
  const { config, logging, startup, health, shutdown, metrics } = parts;
  const log = logging.for('service::cache');
  const cache = await openCache(
    config,
    {
      lost: (reason) => log.warn('connection to the cache lost', { error: reason, retryable: true }),
      restored: () => log.info('connection to the cache is back'),
    },
    countHeld(metrics, log),
  );
  const check = (): Promise<void> => requireHealthy(cache);
  const isShared = config.cache.driver === 'redis' || config.cache.driver === 'redis-cluster';
  const mark = isShared
    ? new InstallationMark(cache, { config, process: config.server_role, version: serviceVersion(), log })
    : null;
  const connect = async (): Promise<void> => {
    await check();
    mark?.start();
  };
  startup.needs({ name: PART, connect });
  if (config.cache.driver !== 'none') health.register({ part: PART, severity: 'critical', check });
  shutdown.onShutdown('disconnect', PART, async () => {
    await mark?.stop();
    await cache.close();
  });
  return cache;
}

/** The configured cache, for the whole process. Needs `RuntimeModule`. */
@Global()
@Module({
  providers: [provider(CACHE, RUNTIME, openForProcess)],
  exports: [CACHE],
})
export class CacheModule {}
