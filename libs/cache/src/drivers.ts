import { totalmem } from 'node:os';
import type { Config } from '@carillon/config';
import type { ConnectionListener } from '@carillon/redis';
import type { Cache } from './port.js';

/** Configuration read by the drivers. */
export type CacheConfig = Pick<Config, 'cache' | 'database'>;

/** Receives the state of a memory cache, for metrics. */
export interface CacheObserver {
  /** An entry of the app found no room. */
  full(appId: string): void;
  opened(heldBytes: () => { readonly kept: number; readonly passing: number }): void;
}

type Open = (config: CacheConfig, listener: ConnectionListener, observer: CacheObserver) => Promise<Cache>;

/** The part of the memory that a memory cache may take for each of its two kinds of entries. */
const MEMORY_PART = 32;
const LEAST_BYTES = 32 * 1024 * 1024;
const MAX_BYTES = 512 * 1024 * 1024;

const UNSEEN: CacheObserver = { full: () => undefined, opened: () => undefined };

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
export async function openCache(
  config: CacheConfig,
  listener: ConnectionListener = UNHEARD,
  observer: CacheObserver = UNSEEN,
): Promise<Cache> {
  const { driver } = config.cache;
  const open = DRIVERS.get(driver);
  if (open === undefined) throw new Error(`driver ${driver} is not available in this build`);
  return open(config, listener, observer);
}

async function openMemory(
  { cache: { memory } }: CacheConfig,
  _listener: ConnectionListener,
  observer: CacheObserver,
): Promise<Cache> {
  const { MemoryCache } = await import('./drivers/memory.js');
  const cache = new MemoryCache({
    capacity: memory.max_capacity,
    mostBytes: memoryShareBytes(),
    onFull: (appId) => observer.full(appId),
    defaultTtlMs: milliseconds(memory.ttl),
    cleanupIntervalMs: milliseconds(memory.cleanup_interval),
  });
  observer.opened(() => cache.heldBytes);
  return cache;
}

/** Follows the memory there is: that of the container, else of the machine. */
function memoryShareBytes(): number {
  const constrained = process.constrainedMemory();
  const all = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
  return Math.min(MAX_BYTES, Math.max(LEAST_BYTES, Math.floor(all / MEMORY_PART)));
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
