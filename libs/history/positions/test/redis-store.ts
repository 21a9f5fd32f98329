import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { cacheKeys } from '@carillon/contracts';
import type { EngineHandle } from '@carillon/test-backends';
import { openRedisLink, redisTarget } from '@carillon/redis';
import { configuration } from '@carillon/testing';
import { RedisReplay } from '../src/index.js';
import type { Store } from './conformance.js';

const SLACK_MS = 20;
const UNHEARD = { lost: () => undefined, restored: () => undefined };

/** The way to an engine. */
function linkTo({ name, url }: EngineHandle) {
  const config =
    name === 'redis-cluster'
      ? configuration({ CACHE_DRIVER: name, REDIS_CLUSTER_NODES: url })
      : configuration({ CACHE_DRIVER: 'redis', REDIS_URL: url });
  const { driver, redis } = config.cache;
  const target = redisTarget(config.database.redis, {
    driver,
    urlOverride: redis.url_override,
    clusterMode: redis.cluster_mode,
  });
  return openRedisLink({ target, listener: UNHEARD });
}

/** An empty corner of a real server, seen by two processes. */
export async function redisStore(engine: EngineHandle): Promise<Store> {
  const prefix = `${randomUUID()}:`;
  const parts = { open: () => linkTo(engine), prefix, maxChannelBytes: 1000 };
  const [replay, other] = [new RedisReplay(parts), new RedisReplay(parts)];
  const hand = await linkTo(engine);
  return {
    replay,
    other,
    pass: (ms) => pause(ms + SLACK_MS),
    lose: async ({ appId, channel }) =>
      void (await hand.call('del', prefix + cacheKeys.sequence(appId, channel))),
    end: async () => {
      hand.close();
      await Promise.all([replay.close(), other.close()]);
    },
  };
}
