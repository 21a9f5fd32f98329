import type { Config } from '@carillon/config';
import type { ConnectionListener } from '@carillon/redis';
import type { Replay } from './port.js';

/** Configuration read by the drivers. */
export type ReplayConfig = Pick<Config, 'adapter' | 'cache' | 'database'>;

const UNHEARD: ConnectionListener = { lost: () => undefined, restored: () => undefined };

/** Positions live where all shared short-lived state does. Connects when it is first wanted. */
export async function openReplay(
  { adapter, cache, database }: ReplayConfig,
  listener: ConnectionListener = UNHEARD,
): Promise<Replay> {
  const { driver, redis } = cache;
  if (driver === 'redis' || driver === 'redis-cluster') {
    const { RedisReplay } = await import('./drivers/redis.js');
    const open = async () => {
      const { openRedisLink, redisTarget } = await import('@carillon/redis');
      const { url_override: urlOverride, cluster_mode: clusterMode } = redis;
      const target = redisTarget(database.redis, { driver, urlOverride, clusterMode });
      return openRedisLink({ target, listener });
    };
    return new RedisReplay({ open, prefix: `${database.redis.key_prefix}${redis.prefix}` });
  }
  if (adapter.driver !== 'local') return new (await import('./drivers/none.js')).NoReplay();
  return new (await import('./drivers/memory.js')).MemoryReplay();
}
