import type { Config } from '@carillon/config';
import type { ConnectionListener } from '@carillon/redis';
import type { Cache } from './port.js';

/** What the drivers read of the configuration. */
export type CacheConfig = Pick<Config, 'cache' | 'database'>;

type Open = (config: CacheConfig, listener: ConnectionListener) => Promise<Cache>;

const UNHEARD: ConnectionListener = { lost: () => undefined, restored: () => undefined };

/** Bounded, so that a setting of "practically for ever" stays an exact number. */
const milliseconds = (seconds: number): number => Math.min(seconds * 1000, Number.MAX_SAFE_INTEGER);

/** One line a driver; its client library is loaded when it is chosen, and only then. */
const DRIVERS: ReadonlyMap<string, Open> = new Map<string, Open>([
  ['memory', openMemory],
  ['none', async () => new (await import('./drivers/none.js')).NoCache()],
  ['redis', openRedis],
  ['redis-cluster', openRedis],
]);

/** Values of `cache.driver` that this build can serve. */
export const CACHE_DRIVERS: readonly string[] = [...DRIVERS.keys()];

/**
 * The configured cache, which connects in the background. Rejects when this build has no such driver, or its settings
 * cannot be used.
 */
export async function openCache(config: CacheConfig, listener: ConnectionListener = UNHEARD): Promise<Cache> {
  const { driver } = config.cache;
  const open = DRIVERS.get(driver);
  if (open === undefined) throw new Error(`driver ${driver} is not available in this build`);
  return open(config, listener);
}

async function openMemory({ cache: { memory } }: CacheConfig): Promise<Cache> {
  const { MemoryCache } = await import('./drivers/memory.js');
  return new MemoryCache({
    capacity: memory.max_capacity,
    defaultTtlMs: milliseconds(memory.ttl),
    cleanupIntervalMs: milliseconds(memory.cleanup_interval),
  });
}

async function openRedis({ cache, database }: CacheConfig, listener: ConnectionListener): Promise<Cache> {
  const { driver, redis, memory } = cache;
  const [{ openRedisLink, redisTarget }, { RedisCache }] = await Promise.all([
    import('@carillon/redis'),
    import('./drivers/redis.js'),
  ]);
  const target = redisTarget(database.redis, {
    driver,
    urlOverride: redis.url_override,
    clusterMode: redis.cluster_mode,
  });
  return new RedisCache({
    link: await openRedisLink({ target, listener }),
    healthLink: await openRedisLink({ target, listener: UNHEARD }),
    prefix: `${database.redis.key_prefix}${redis.prefix}`,
    defaultTtlMs: milliseconds(memory.ttl),
  });
}
