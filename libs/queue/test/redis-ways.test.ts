import { engine, SENTINEL_MASTER } from '@carillon/test-backends';
import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openQueue, QueueUnavailable } from '../src/index.js';
import { redisScene } from './redis-scene.js';
import { configuration } from '@carillon/testing';
import { collect, quick, recordingLog, until } from './scene.js';

const prefix = () => `t-${randomUUID()}:`;

/** Opens a queue as configured. */
async function configured(driver: string, env: Record<string, string>, file = '') {
  const queue = await openQueue(
    driver,
    { reliability: quick(), log: recordingLog().log },
    configuration(env, file),
  );
  onTestFinished(() => queue.close());
  return queue;
}

async function works(driver: string, env: Record<string, string>, file = ''): Promise<void> {
  const queue = await configured(driver, env, file);
  expect(queue.driver).toBe(driver);
  await queue.connect();
  const jobs = collect(queue, 'q');
  await queue.enqueue('q', 'x');
  await until(() => jobs.length === 1);
  await expect(queue.health()).resolves.toBeUndefined();
}

describe('the way to Redis', () => {
  it('is the address of the shared server', async () => {
    const { host, port } = await engine('redis');
    await works('redis', {
      DATABASE_REDIS_HOST: host,
      DATABASE_REDIS_PORT: `${port}`,
      QUEUE_REDIS_PREFIX: prefix(),
    });
  });

  it('is an address of its own, with no limit to answers', async () => {
    const { url } = await engine('redis');
    await works('redis', {
      REDIS_URL: url,
      DATABASE_REDIS_HOST: 'nowhere.invalid',
      QUEUE_REDIS_PREFIX: prefix(),
      QUEUE_REDIS_RESPONSE_TIMEOUT_MS: '0',
    });
  });

  it('leads through sentinels', async () => {
    const { urls } = await engine('redis-sentinel');
    const sentinels = urls
      .map((url: string) => new URL(url))
      .map(({ hostname, port }: URL) => `{ host = "${hostname}", port = ${port} }`);
    await works(
      'redis',
      { QUEUE_REDIS_PREFIX: prefix() },
      `[database.redis]\nname = "${SENTINEL_MASTER}"\nsentinels = [${sentinels.join(', ')}]`,
    );
  });

  it('leads to the shared cluster in cluster mode', async () => {
    const { urls } = await engine('redis-cluster');
    await works(
      'redis',
      { QUEUE_REDIS_PREFIX: prefix() },
      `[database.redis.cluster]\nnodes = ${JSON.stringify(urls)}\n[queue.redis]\ncluster_mode = true`,
    );
  });

  it('leads to the cluster nodes of the queue', async () => {
    const { urls } = await engine('redis-cluster');
    await works(
      'redis-cluster',
      { REDIS_CLUSTER_QUEUE_PREFIX: prefix() },
      `[queue.redis_cluster]\nnodes = ${JSON.stringify(urls)}`,
    );
  });

  it('is refused with a prefix that would break the hash tag', async () => {
    await expect(configured('redis', { QUEUE_REDIS_PREFIX: 'a{b}' })).rejects.toThrow(
      'the prefix of a queue must not contain braces',
    );
  });

  it('may be closed: connecting fails, and nothing is taken', async () => {
    const queue = await configured('redis', { REDIS_URL: 'redis://127.0.0.1:1' });
    await expect(queue.connect()).rejects.toThrow(QueueUnavailable);
    await expect(queue.enqueue('q', 'x')).rejects.toThrow(QueueUnavailable);
    await expect(queue.health()).rejects.toThrow(QueueUnavailable);
  });
});

describe('an idle worker', () => {
  it('is woken when something is enqueued', async () => {
    const scene = await redisScene('redis');
    const bells: unknown[] = [];
    let waits = 0;
    const consumer = await scene.open({ worker_poll_interval_ms: 60_000 }, ({ call, ...link }) => ({
      ...link,
      call: async (command, ...args) => {
        if (command === 'blpop') waits++;
        const answer = await call(command, ...args);
        if (command === 'blpop') bells.push(answer);
        return answer;
      },
    }));
    const jobs = collect(consumer, 'q');
    await until(() => waits === 1);
    await (await scene.open()).enqueue('q', 'x');
    await until(() => jobs.length === 1);
    // Null would mean that the wait timed out without a notification.
    expect(bells.at(-1)).not.toBeNull();
    // Unused notifications do not accumulate.
    const link = await scene.link();
    await until(async () => (await link.call('exists', `${scene.prefix}:v2:{q}:notify`)) === 0);
  });

  it('leaves a bounded number of wake-ups for nobody', async () => {
    const scene = await redisScene('redis');
    const queue = await scene.open();
    for (let n = 0; n < 3; n++) {
      await queue.enqueueBatch(
        'q',
        Array.from({ length: 500 }, () => ({ data: 'x' })),
      );
    }
    const link = await scene.link();
    expect(await link.call('llen', `${scene.prefix}:v2:{q}:notify`)).toBe(64);
  });
});
