import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { EngineHandle } from '@carillon/test-backends';
import { configuration } from '@carillon/testing';
import { openRateLimit } from '../src/index.js';
import type { Subject } from './conformance.js';

/** The server counts by its own clock, whose steps need not be ours. */
const SLACK_MS = 20;

/** Settings of a test backend with a unique prefix. */
export function redisConfig({ name, url }: EngineHandle) {
  const common = { RATE_LIMITER_ENABLED: 'true', RATE_LIMITER_REDIS_PREFIX: `${randomUUID()}:` };
  return name === 'redis-cluster'
    ? configuration({ ...common, RATE_LIMITER_DRIVER: 'redis-cluster', REDIS_CLUSTER_NODES: url })
    : configuration({ ...common, RATE_LIMITER_DRIVER: 'redis', REDIS_URL: url });
}

/** An empty corner of a real server, seen by two processes. */
export async function redisSubject(engine: EngineHandle): Promise<Subject> {
  const config = redisConfig(engine);
  const [rateLimit, other] = await Promise.all([openRateLimit(config), openRateLimit(config)]);
  return {
    rateLimit,
    other,
    pass: (ms) => pause(ms + SLACK_MS),
    end: async () => {
      await Promise.all([rateLimit.close(), other.close()]);
    },
  };
}
