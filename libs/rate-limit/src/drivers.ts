import type { Config } from '@carillon/config';
import type { ConnectionListener } from '@carillon/redis';
import type { RateLimit } from './port.js';

/** Configuration read by the drivers. */
export type RateLimitConfig = Pick<Config, 'database' | 'rate_limiter'>;

type Open = (config: RateLimitConfig, listener: ConnectionListener) => Promise<RateLimit>;

const UNHEARD: ConnectionListener = { lost: () => undefined, restored: () => undefined };

/** One line a driver; its client library is loaded when it is chosen, and only then. */
const DRIVERS: ReadonlyMap<string, Open> = new Map<string, Open>([
  ['memory', async () => new (await import('./drivers/memory.js')).MemoryRateLimit()],
  ['none', async () => new (await import('./drivers/none.js')).NoRateLimit()],
  ['redis', openRedis],
  ['redis-cluster', openRedis],
]);

/** Values of `rate_limiter.driver` that this build can serve. */
export const RATE_LIMITER_DRIVERS: readonly string[] = [...DRIVERS.keys()];

/**
 * The configured limiter, which connects in the background. Rejects when this build has no such driver, or its
 * settings cannot be used.
 */
export async function openRateLimit(
  config: RateLimitConfig,
  listener: ConnectionListener = UNHEARD,
): Promise<RateLimit> {
  const { driver } = config.rate_limiter;
  const open = DRIVERS.get(driver);
  if (open === undefined) throw new Error(`driver ${driver} is not available in this build`);
  return open(config, listener);
}

async function openRedis(
  { database, rate_limiter: { driver, redis } }: RateLimitConfig,
  listener: ConnectionListener,
): Promise<RateLimit> {
  const [{ openRedisLink, redisTarget }, { RedisRateLimit }] = await Promise.all([
    import('@carillon/redis'),
    import('./drivers/redis.js'),
  ]);
  const target = redisTarget(database.redis, {
    driver,
    urlOverride: redis.url_override,
    clusterMode: redis.cluster_mode,
  });
  return new RedisRateLimit(await openRedisLink({ target, listener }), redis.prefix);
}
