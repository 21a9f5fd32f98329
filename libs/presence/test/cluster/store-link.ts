import { engine, type EngineHandle } from '@carillon/test-backends';
import { openRedisLink, redisTarget, type RedisLink } from '@carillon/redis';
import type { ConnectionListener } from '@carillon/redis';
import { configuration } from '@carillon/testing';

export type StoreDriver = 'redis' | 'redis-cluster';

const UNHEARD: ConnectionListener = { lost: () => {}, restored: () => {} };

/** A connection to a real server. */
export async function openStoreLink(
  driver: StoreDriver,
  given?: EngineHandle,
  listener: ConnectionListener = UNHEARD,
): Promise<RedisLink> {
  const { url } = given ?? (await engine(driver));
  const env: Record<string, string> = driver === 'redis' ? { REDIS_URL: url } : { REDIS_CLUSTER_NODES: url };
  const { cache, database } = configuration(env);
  const target = redisTarget(database.redis, {
    driver,
    urlOverride: cache.redis.url_override,
    clusterMode: false,
  });
  return openRedisLink({ target, listener });
}
