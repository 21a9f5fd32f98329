import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { EngineHandle } from '@carillon/test-backends';
import { configuration } from '@carillon/testing';
import { openCache } from '../src/index.js';
import { HOUR_MS, type Store } from './conformance/store.js';

/** Entries expire on the server's clock, whose steps need not be ours. */
const SLACK_MS = 20;

/** Settings of a test backend with a unique prefix. */
export function redisConfig({ name, url }: EngineHandle) {
  const file = `
    [cache.memory]
    ttl = ${HOUR_MS / 1000}
    [cache.redis]
    prefix = "${randomUUID()}:"
  `;
  return name === 'redis-cluster'
    ? configuration({ CACHE_DRIVER: 'redis-cluster', REDIS_CLUSTER_NODES: url }, file)
    : configuration({ CACHE_DRIVER: 'redis', REDIS_URL: url }, file);
}

/** An empty corner of a real server, seen by two processes. */
export async function redisStore(engine: EngineHandle): Promise<Store> {
  const config = redisConfig(engine);
  const [cache, other] = await Promise.all([openCache(config), openCache(config)]);
  return {
    cache,
    other,
    pass: (ms) => pause(ms + SLACK_MS),
    end: async () => {
      await Promise.all([cache.close(), other.close()]);
    },
  };
}
