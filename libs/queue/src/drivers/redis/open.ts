import type { Config } from '@carillon/config';
import { openRedisLink, redisTarget, type RedisTarget } from '@carillon/redis';
import { MAX_JOB_BYTES, MAX_JOBS } from '../../job-store.js';
import type { QueueParts } from '../../options.js';
import type { Queue } from '../../port.js';
import { StoreQueue } from '../../store-queue.js';
import { keyPrefix } from './keys.js';
import type { OpenLink } from './link.js';
import { RedisStore } from './redis-store.js';

export type RedisDriver = 'redis' | 'redis-cluster';

/** Stands for "no limit": the longest timer. */
const NO_LIMIT_MS = 2 ** 31 - 1;

interface Settings {
  readonly target: RedisTarget;
  readonly prefix: string;
  readonly concurrency: number;
  readonly timeoutMs: number;
}

function settingsOf(driver: RedisDriver, { queue, database: { redis } }: Config): Settings {
  if (driver === 'redis-cluster') {
    const { nodes, prefix, concurrency, request_timeout_ms: timeoutMs } = queue.redis_cluster;
    const settings = { ...redis, cluster: { ...redis.cluster, nodes } };
    const target = redisTarget(settings, { driver, urlOverride: null, clusterMode: true });
    return { target, prefix, concurrency, timeoutMs };
  }
  const { url_override, cluster_mode, prefix, concurrency, response_timeout_ms: timeoutMs } = queue.redis;
  const target = redisTarget(redis, { driver, urlOverride: url_override, clusterMode: cluster_mode });
  return { target, prefix, concurrency, timeoutMs };
}

/** Connects to the configured server and logs connection changes. */
function linkOpener({ target, timeoutMs }: Settings, { log }: QueueParts): OpenLink {
  const usualMs = timeoutMs === 0 ? NO_LIMIT_MS : timeoutMs;
  const listener = {
    lost: (reason: string) =>
      log.warn('connection to the store of the queue is lost', { reason, retryable: true }),
    restored: () => log.info('connection to the store of the queue is back'),
  };
  return (blockingMs) =>
    openRedisLink({ target, listener, timeoutMs: Math.min(usualMs + blockingMs, NO_LIMIT_MS) });
}

/**
 * Jobs in Redis: a single server, behind sentinels, or a cluster. They survive this process, and are as durable as
 * the server. Throws if a setting is invalid. Absent `openLink`: as configured.
 */
export function openRedisQueue(
  driver: RedisDriver,
  parts: QueueParts,
  config: Config,
  openLink?: OpenLink,
): Queue {
  const { reliability, log } = parts;
  const settings = settingsOf(driver, config);
  const open = openLink ?? linkOpener(settings, parts);
  return new StoreQueue(
    new RedisStore({ prefix: keyPrefix(settings.prefix), reliability, open, log }),
    {
      driver,
      capabilities: {
        consume: true,
        acknowledgements: true,
        delayedDelivery: true,
        retries: true,
        deadLetter: true,
        deduplication: true,
        leasing: true,
        durable: true,
        batchEnqueue: true,
        fairOwners: true,
        observableLag: true,
        observableAge: true,
      },
      limits: {
        maxDelayMs: Infinity,
        maxBatchJobs: Math.min(reliability.max_batch_size, MAX_JOBS),
        maxJobBytes: MAX_JOB_BYTES,
        attemptOverride: true,
      },
      concurrency: settings.concurrency,
      isFenced: true,
    },
    parts,
  );
}
