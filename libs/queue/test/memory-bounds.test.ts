import { describe, expect, it } from 'vitest';
import { deadLetter, QueueFull } from '../src/index.js';
import { openMemory } from './memory-scene.js';
import { collect, gate, recordingLog, until } from './scene.js';

const batch = (size: number) => Array.from({ length: size }, () => ({ data: 'x' }));

describe('the memory driver', () => {
  it('refuses jobs beyond its capacity, whatever state the others are in', async () => {
    const queue = await openMemory({ memory_capacity: 4 });
    const end = gate();
    queue.process('busy', () => end.opened);
    queue.process('dead', async () => deadLetter('no'));
    await queue.enqueue('busy', 'x');
    await queue.enqueue('dead', 'x');
    await queue.enqueue('ready', 'x', { jobId: 'one' });
    await queue.enqueue('delayed', 'x', { delayMs: 60_000 });
    await until(async () => (await queue.stats('dead')).deadLetter === 1);
    await expect(queue.enqueue('q', 'x')).rejects.toThrow(new QueueFull(4));
    expect(await queue.enqueue('ready', 'x', { jobId: 'one' })).toBe('one');
    end.open();
    await until(async () => (await queue.stats('busy')).completed === 1);
    await queue.enqueue('q', 'x');
    await expect(queue.enqueue('q', 'y')).rejects.toThrow(QueueFull);
  });

  it('takes all of a chunk or nothing when it gets full', async () => {
    const queue = await openMemory({ memory_capacity: 3 });
    await expect(queue.enqueueBatch('q', batch(4))).rejects.toThrow(QueueFull);
    expect(await queue.stats('q')).toMatchObject({ ready: 0 });
    await expect(queue.enqueueBatch('q', batch(3))).resolves.toHaveLength(3);
  });

  it('gives the jobs of one key a quarter of its room, and what is made of running jobs a reserve', async () => {
    const queue = await openMemory({ memory_capacity: 8 });
    const add = (partitionKey: string, isFollowUp = false) =>
      queue.enqueue('q', 'x', { partitionKey, isFollowUp });
    for (const key of ['a', 'b', 'c', 'd']) {
      await add(key);
      await add(key);
      await expect(add(key)).rejects.toThrow(QueueFull);
    }
    await expect(add('e')).rejects.toThrow(QueueFull);
    await add('a', true);
    await add('b', true);
    await expect(add('a', true)).rejects.toThrow(QueueFull);
    const jobs = collect(queue, 'q');
    await until(() => jobs.length === 10);
    await add('a');
    await add('a');
  });

  it('bounds bytes too, of waiting jobs and of dead ones, and takes new ones once those are gone', async () => {
    const queue = await openMemory({ memory_capacity_bytes: 16 * 1024 * 1024 });
    const large = 'x'.repeat(1024 * 1024);
    for (let index = 0; index < 4; index += 1) await queue.enqueue('q', large, { partitionKey: 'a' });
    await expect(queue.enqueue('q', large, { partitionKey: 'a' })).rejects.toThrow('bytes');
    await queue.enqueue('q', large, { partitionKey: 'b' });
    queue.process('q', async () => deadLetter('no'));
    await until(async () => (await queue.stats('q')).ready === 0);
    for (let index = 0; index < 4; index += 1) await queue.enqueue('q', large, { partitionKey: 'a' });
    await until(async () => (await queue.stats('q')).ready === 0);
    await until(async () => (await queue.stats('q')).active === 0);
    expect((await queue.stats('q')).deadLetter).toBe(4);
  });

  it('runs 64 handlers of a queue at once', async () => {
    const queue = await openMemory();
    const end = gate();
    let running = 0;
    queue.process('q', () => {
      running++;
      return end.opened;
    });
    await queue.enqueueBatch('q', batch(100));
    await until(async () => (await queue.stats('q')).active === 64);
    expect([running, (await queue.stats('q')).ready]).toEqual([64, 36]);
  });

  it('wakes an idle worker when something is enqueued or becomes due', async () => {
    const queue = await openMemory({ worker_poll_interval_ms: 3_600_000 });
    const jobs = collect(queue, 'q');
    await until(async () => (await queue.stats('q')).ready === 0);
    await queue.enqueue('q', 'later', { delayMs: 30 });
    await queue.enqueue('q', 'now');
    await until(() => jobs.length === 2);
    expect(jobs.map(({ data }) => data)).toEqual(['now', 'later']);
  });

  it('works off what is ready before it stops, also what comes in meanwhile', async () => {
    const queue = await openMemory();
    const jobs = collect(queue, 'q');
    await queue.enqueueBatch('q', batch(200));
    await queue.drain();
    expect(jobs).toHaveLength(200);
    await queue.enqueue('q', 'flushed late');
    await queue.close();
    expect(jobs).toHaveLength(201);
  });

  it('says how many jobs are lost when it stops', async () => {
    const { log, lines } = recordingLog();
    const queue = await openMemory({ log, shutdown_timeout_ms: 50 });
    queue.process('busy', () => new Promise(() => undefined));
    queue.process('dead', async () => deadLetter('no'));
    await queue.enqueue('busy', 'x');
    await queue.enqueue('dead', 'x');
    await queue.enqueue('later', 'x', { delayMs: 60_000 });
    await queue.enqueueBatch('nobody', [{ data: 'x' }, { data: 'y' }]);
    await until(async () => (await queue.stats('dead')).deadLetter === 1);
    await queue.close();
    expect(lines).toContainEqual({
      level: 'warn',
      message: 'memory queue stopped, its jobs are lost',
      fields: { lost: 4, dead_letters: 1 },
    });
  });

  it('does not keep the process from other work while handlers never wait', async () => {
    const queue = await openMemory();
    let turns = 0;
    let done = false;
    queue.process('q', async ({ attempt }) => {
      if (attempt === 0) throw new Error('never');
    });
    await queue.enqueueBatch('q', batch(1000));
    const count = () => {
      turns++;
      if (!done) setImmediate(count);
    };
    count();
    await until(async () => (await queue.stats('q')).completed === 1000);
    done = true;
    expect(turns).toBeGreaterThan(10);
  });

  it('drains a hundred thousand due jobs', async () => {
    const queue = await openMemory({ event_retention: 0 });
    let done = 0;
    await queue.enqueueBatch(
      'q',
      Array.from({ length: 100_000 }, (_, n) => ({ data: 'x', delayMs: 1 + (n % 7) })),
    );
    queue.process('q', async () => {
      done++;
    });
    await until(() => done === 100_000);
    expect((await queue.stats('q')).delayed).toBe(0);
  }, 120_000);
});
