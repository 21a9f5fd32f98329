import { engine, type EngineHandle } from '@carillon/test-backends';
import { openRedisLink, redisTarget } from '@carillon/redis';
import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import type { Queue } from '../src/index.js';
import type { QueueLink } from '../src/drivers/redis/link.js';
import { openRedisQueue, type RedisDriver } from '../src/drivers/redis/open.js';
import { configuration } from '@carillon/testing';
import { quick, recordingLog, type OpenOptions, type Scene } from './scene.js';

const silent = { lost: () => {}, restored: () => {} };

type WrapLink = (link: QueueLink) => QueueLink;

export interface RedisScene extends Scene {
  /** Optionally wraps its connections. */
  open(options?: OpenOptions, wrap?: WrapLink): Promise<Queue>;
  readonly prefix: string;
  /** A connection of the test's own. */
  link(): Promise<QueueLink>;
}

/** Variables of a test backend with a unique prefix. */
export const environmentOf = (
  driver: RedisDriver,
  { url }: EngineHandle,
  prefix: string,
): Record<string, string> =>
  driver === 'redis'
    ? { REDIS_URL: url, QUEUE_REDIS_PREFIX: prefix }
    : { REDIS_CLUSTER_NODES: url, REDIS_CLUSTER_QUEUE_PREFIX: prefix };

/** A corner of a real server. */
export async function redisScene(driver: RedisDriver, given?: EngineHandle): Promise<RedisScene> {
  const prefix = `t-${randomUUID()}`;
  const config = configuration(environmentOf(driver, given ?? (await engine(driver)), prefix));
  const { queue, database } = config;
  const target = redisTarget(
    { ...database.redis, cluster: { ...database.redis.cluster, nodes: queue.redis_cluster.nodes } },
    { driver, urlOverride: queue.redis.url_override, clusterMode: driver === 'redis-cluster' },
  );
  const links = new Map<Queue, QueueLink[]>();

  async function openLink(): Promise<QueueLink> {
    const link = await openRedisLink({ target, listener: silent, timeoutMs: 7000 });
    return {
      call: (command, ...args) => link.call(command, ...args),
      health: () => link.health(),
      close: () => link.close(),
    };
  }

  async function open(
    { onSettled, log, ...reliability }: OpenOptions = {},
    wrap: WrapLink = (link) => link,
  ): Promise<Queue> {
    const own: QueueLink[] = [];
    const openQueue = openRedisQueue(
      driver,
      {
        reliability: quick(reliability),
        log: log ?? recordingLog().log,
        ...(onSettled === undefined ? {} : { observer: { settled: onSettled } }),
      },
      config,
      async () => {
        const link = wrap(await openLink());
        own.push(link);
        return link;
      },
    );
    await openQueue.connect();
    links.set(openQueue, own);
    onTestFinished(() => openQueue.close());
    return openQueue;
  }

  return {
    prefix,
    open,
    cut: (queueToCut) => {
      for (const link of links.get(queueToCut) ?? []) link.close();
    },
    link: async () => {
      const link = await openLink();
      onTestFinished(() => link.close());
      return link;
    },
  };
}
