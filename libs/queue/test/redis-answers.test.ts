import { describe, expect, it } from 'vitest';
import { QueueUnavailable } from '../src/index.js';
import { RedisStore } from '../src/drivers/redis/redis-store.js';
import { redisScene } from './redis-scene.js';
import { ACKNOWLEDGE } from '../src/drivers/redis/scripts.js';
import { collect, quick, recordingLog, until } from './scene.js';

/** A queue whose connection loses the answers of chosen calls: they are executed without a reply. */
async function losing(loses: (args: readonly (number | string)[]) => boolean) {
  const { log, lines } = recordingLog();
  const scene = await redisScene('redis');
  const queue = await scene.open({ log }, ({ call, ...link }) => ({
    ...link,
    call: async (command, ...args) => {
      const answer = await call(command, ...args);
      if (loses(args)) throw new Error('the answer is lost');
      return answer;
    },
  }));
  return { queue, lines };
}

const isAcknowledge = (script: unknown) => script === ACKNOWLEDGE.sha1 || script === ACKNOWLEDGE.lua;

describe('an answer that is lost', () => {
  it('does not make two jobs of one', async () => {
    let left = 2;
    const { queue } = await losing((args) => args.includes('work') && left-- > 0);
    const id = await queue.enqueue('q', 'work');
    const jobs = collect(queue, 'q');
    await until(async () => (await queue.stats('q')).completed === 1);
    expect(jobs.map((job) => job.id)).toEqual([id]);
  });

  it('is told after three tries', async () => {
    let tries = 0;
    const { queue } = await losing((args) => args.includes('work') && ++tries > 0);
    await expect(queue.enqueue('q', 'work')).rejects.toThrow(QueueUnavailable);
    expect(tries).toBe(3);
    expect(await queue.stats('q')).toMatchObject({ ready: 1 });
  });

  it('does not keep a job from being settled', async () => {
    let left = 1;
    const { queue, lines } = await losing(([script]) => isAcknowledge(script) && left-- > 0);
    let deliveries = 0;
    queue.process('q', async () => {
      deliveries++;
    });
    await queue.enqueue('q', 'x');
    await until(() => left === 0);
    await queue.drain();
    expect(await queue.stats('q')).toMatchObject({ active: 0, completed: 1 });
    expect(deliveries).toBe(1);
    const failures = lines.filter(({ message }) => message === 'job could not be settled, trying again');
    expect(failures).toHaveLength(1);
  });

  it('of the first connection is told, and another try may work', async () => {
    let healthy = false;
    const scene = await redisScene('redis');
    const store = new RedisStore({
      prefix: scene.prefix,
      reliability: quick(),
      open: async () => {
        const link = await scene.link();
        return {
          call: (command, ...args) => link.call(command, ...args),
          health: async () => (healthy ? link.health() : 'not there yet'),
          close: () => link.close(),
        };
      },
      log: recordingLog().log,
    });
    await expect(store.health()).rejects.toThrow('not connected');
    await expect(store.add('q', [])).rejects.toThrow(QueueUnavailable);
    await expect(store.connect()).rejects.toThrow('not there yet');
    healthy = true;
    await store.connect();
    await expect(store.health()).resolves.toBeUndefined();
    await store.close();
  });
});
