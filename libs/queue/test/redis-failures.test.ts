import { engine, type EngineHandle } from '@carillon/test-backends';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { QueueUnavailable, type Queue } from '../src/index.js';
import { environmentOf, redisScene } from './redis-scene.js';
import { sleep, until } from './scene.js';

/** Lease after which deliveries of a dead server are repeated. */
const BRIEF = { lease_duration_ms: 2500 };

/** Handles every job of some queues, and counts how often. */
function counting(queue: Queue, names: readonly string[]): Map<string, number> {
  const seen = new Map<string, number>();
  for (const name of names) {
    queue.process(name, async ({ id }) => {
      await sleep(5);
      seen.set(id, (seen.get(id) ?? 0) + 1);
    });
  }
  return seen;
}

const batch = (size: number) => Array.from({ length: size }, (_, n) => ({ data: `${n}` }));

async function isQuiet(queue: Queue, name: string): Promise<boolean> {
  try {
    const { ready, active, delayed } = await queue.stats(name);
    return ready === 0 && active === 0 && delayed === 0;
  } catch {
    return false;
  }
}

describe('a queue in Redis, when the server', () => {
  let redis: EngineHandle;
  beforeAll(async () => {
    redis = await engine('redis', { own: true });
  });
  afterAll(() => redis.release());

  it('is killed and comes back with what it saved: every job is done, none is stuck', async () => {
    const scene = await redisScene('redis', redis);
    const [producer, consumer] = [await scene.open(), await scene.open(BRIEF)];
    const link = await scene.link();
    const ids = await producer.enqueueBatch('q', batch(300));
    const seen = counting(consumer, ['q']);
    await until(() => seen.size > 50);
    await link.call('save');
    await redis.kill();
    await expect(producer.enqueue('q', 'meanwhile')).rejects.toThrow(QueueUnavailable);
    await expect(producer.health()).rejects.toThrow(QueueUnavailable);
    await sleep(2000);
    await redis.restart();
    await until(() => isQuiet(producer, 'q'));
    expect(ids.filter((id) => !seen.has(id))).toEqual([]);
    expect(await producer.stats('q')).toMatchObject({ deadLetter: 0 });
    const later = await producer.enqueue('q', 'later');
    await until(() => seen.has(later));
  });

  it('comes back empty: work goes on with what is new', async () => {
    const scene = await redisScene('redis', redis);
    const [producer, consumer] = [await scene.open(), await scene.open(BRIEF)];
    await producer.enqueueBatch('q', batch(500));
    const seen = counting(consumer, ['q']);
    await until(() => seen.size > 20);
    await redis.restart();
    await until(async () => (await producer.health().catch(() => 'down')) === undefined);
    const ids = await producer.enqueueBatch('q', batch(50));
    await until(() => ids.every((id) => seen.has(id)));
    await until(() => isQuiet(producer, 'q'));
  });

  it('does not answer for some seconds: every job is done', async () => {
    const scene = await redisScene('redis', redis);
    const [producer, consumer] = [await scene.open(), await scene.open(BRIEF)];
    const ids = await producer.enqueueBatch('q', batch(300));
    const seen = counting(consumer, ['q']);
    await until(() => seen.size > 50);
    await redis.pause();
    await sleep(7000);
    await redis.resume();
    await until(() => isQuiet(producer, 'q'));
    expect(ids.filter((id) => !seen.has(id))).toEqual([]);
    expect((await producer.stats('q')).completed).toBe(300);
  });

  it('is away while the process stops: the stop ends all the same', async () => {
    const scene = await redisScene('redis', redis);
    const queue = await scene.open({ shutdown_timeout_ms: 300, lease_duration_ms: 1000 });
    queue.process('q', () => new Promise(() => undefined));
    await queue.enqueue('q', 'x');
    await until(async () => (await queue.stats('q')).active === 1);
    await redis.kill();
    await queue.close();
    await redis.restart();
  });
});

describe('a process', () => {
  it('that is killed leaves its jobs, running and fetched ones, to others', async () => {
    const shared = await engine('redis');
    const scene = await redisScene('redis', shared);
    const producer = await scene.open();
    const ids = await producer.enqueueBatch('q', batch(20));
    const victim = fork(new URL('victim.js', import.meta.url), {
      env: {
        PATH: process.env['PATH'],
        QUEUE_DRIVER: 'redis',
        ...environmentOf('redis', shared, scene.prefix),
      },
    });
    onTestFinished(() => {
      victim.kill('SIGKILL');
    });
    await once(victim, 'message');
    await until(async () => (await producer.stats('q')).active === 8);
    victim.kill('SIGKILL');
    await once(victim, 'exit');
    const survivor = await scene.open();
    const seen = counting(survivor, ['q']);
    await until(() => ids.every((id) => seen.has(id)));
    await until(() => isQuiet(producer, 'q'));
    expect([...seen.values()].every((times) => times === 1)).toBe(true);
    expect((await producer.stats('q')).completed).toBe(20);
  });
});

describe('a queue in a Redis cluster', () => {
  let cluster: EngineHandle;
  beforeAll(async () => {
    cluster = await engine('redis-cluster', { own: true });
  });
  afterAll(() => cluster.release());

  it('goes on when a master is gone and its replica takes over', async () => {
    const scene = await redisScene('redis-cluster', cluster);
    const [producer, consumer] = [await scene.open(), await scene.open(BRIEF)];
    const names = Array.from({ length: 9 }, (_, n) => `queue ${n}`);
    const ids = (await Promise.all(names.map((name) => producer.enqueueBatch(name, batch(40))))).flat();
    // Redis loses writes not yet replicated when its master dies.
    await sleep(500);
    const seen = counting(consumer, names);
    await until(() => seen.size > 50);
    await cluster.kill('master-2');
    for (const name of names) await until(() => isQuiet(producer, name));
    expect(ids.filter((id) => !seen.has(id))).toEqual([]);
  });
});
