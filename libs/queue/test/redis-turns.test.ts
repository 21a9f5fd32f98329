import { expect, it } from 'vitest';
import { partKey, type Part } from '../src/drivers/redis/keys.js';
import { redisScene } from './redis-scene.js';
import { collect, until } from './scene.js';

/** A queue, and commands on its keys as an earlier version sends them, which knows no turns. */
async function earlierVersion() {
  const scene = await redisScene('redis');
  const queue = await scene.open();
  const link = await scene.link();
  const call = (command: string, part: Part, ...args: (number | string)[]) =>
    link.call(command, partKey(scene.prefix, 'q', part), ...args);
  const add = async (id: string, atMs: number) => {
    await call('hset', 'jobs', id, `2:${atMs}::${id}`);
    await call('zadd', 'wait', atMs * 1000, id);
  };
  return { queue, call, add };
}

it('the queue in Redis hands out jobs that an earlier version added when others are in line', async () => {
  const { queue, add } = await earlierVersion();
  await queue.enqueueBatch(
    'q',
    Array.from({ length: 300 }, (_, n) => ({ data: `new ${n}`, partitionKey: 'churning' })),
  );
  for (let n = 0; n < 300; n += 1) await add(`old ${n}`, Date.now() - 60_000 + n);
  const jobs = collect(queue, 'q');
  await until(() => jobs.length === 600);
  expect(jobs.filter(({ id }) => id.startsWith('old')).map(({ data }) => data)).toEqual(
    Array.from({ length: 300 }, (_, n) => `old ${n}`),
  );
});

it('the queue in Redis forgets the turns of jobs that an earlier version took', async () => {
  const { queue, call } = await earlierVersion();
  const ids = await queue.enqueueBatch(
    'q',
    Array.from({ length: 400 }, (_, n) => ({ data: `${n}`, partitionKey: 'churning' })),
  );
  const taken = ids.slice(0, 399);
  await call('zrem', 'wait', ...taken);
  await call('hdel', 'jobs', ...taken);
  const jobs = collect(queue, 'q');
  await until(async () => (await queue.stats('q')).completed === 1);
  expect(jobs.map(({ data }) => data)).toEqual(['399']);
  await until(async () => (await call('exists', 'turns')) === 0);
  await until(async () => (await call('exists', 'owners')) === 0);
});
