import { describe, expect, it } from 'vitest';
import { QueueUnavailable } from '../src/index.js';
import { PARTS, partKey, type Part } from '../src/drivers/redis/keys.js';
import { redisScene } from './redis-scene.js';
import { collect, recordingLog, until } from './scene.js';

/** A queue named `q`, and a hand in its keys. */
async function tampering() {
  const scene = await redisScene('redis');
  const link = await scene.link();
  const change = (command: string, part: Part, ...args: (number | string)[]) =>
    link.call(command, partKey(scene.prefix, 'q', part), ...args);
  return { scene, link, change };
}

describe('what others wrote into Redis', () => {
  it('becomes a dead letter when it is no job, and others go on', async () => {
    const { scene, change } = await tampering();
    const queue = await scene.open();
    const bad = {
      garbage: 'not a record',
      old: '1:1700000000000:x:data',
      negative: '2:-5::data',
      json: '{"id":"json","data":"x"}',
      marker: 'c:fingerprint',
      binary: '\0\u0001\u0002',
      large: `2:1700000000000::${'x'.repeat(queue.limits.maxJobBytes + 200)}`,
    };
    for (const [id, record] of Object.entries(bad)) {
      await change('hset', 'jobs', id, record);
      await change('zadd', 'wait', 1, id);
    }
    const outcomes: string[] = [];
    const consumer = await scene.open({
      onSettled: (_, outcome, count) => outcomes.push(...Array<string>(count).fill(outcome)),
    });
    await queue.enqueue('q', 'good');
    const jobs = collect(consumer, 'q');
    await until(() => jobs.length === 1);
    expect(jobs[0]?.data).toBe('good');
    await until(() => outcomes.length === 8);
    expect(outcomes.sort()).toEqual([...Array<string>(7).fill('dead'), 'ok']);
    const letters = await queue.listDeadLetters('q', 100);
    expect(letters.map(({ id }) => id).sort()).toEqual(Object.keys(bad).sort());
    for (const letter of letters) {
      expect(letter).toMatchObject({
        data: null,
        reason: 'invalid-envelope',
        enqueuedAtMs: null,
        attempts: 0,
      });
      expect(letter.failedAtMs).toBeGreaterThan(1_700_000_000_000);
    }
  });

  it('dies again when it is replayed, and can be removed', async () => {
    const { scene, change } = await tampering();
    const queue = await scene.open();
    await change('hset', 'jobs', 'bad', 'garbage');
    await change('zadd', 'wait', 1, 'bad');
    collect(queue, 'q');
    await until(async () => (await queue.stats('q')).deadLetter === 1);
    const [before] = await queue.listDeadLetters('q', 1);
    expect(await queue.replayDeadLetters('q', 10)).toBe(1);
    await until(async () => {
      const [letter] = await queue.listDeadLetters('q', 1);
      return letter !== undefined && letter.failedAtMs > (before?.failedAtMs ?? 0);
    });
    expect(await queue.removeDeadLetters('q', ['bad'])).toBe(1);
    expect(await change('hlen', 'jobs')).toBe(0);
  });

  it('is dropped and named in the log when it is an id without a job', async () => {
    const { scene, change } = await tampering();
    const { log, lines } = recordingLog();
    const queue = await scene.open({ log });
    for (let n = 0; n < 250; n++) await change('zadd', 'wait', 1, `nothing ${n}`);
    const jobs = collect(queue, 'q');
    await queue.enqueue('q', 'good');
    await until(() => jobs.length === 1);
    expect((await queue.stats('q')).ready).toBe(0);
    const dropped = lines.filter(({ message }) => message === 'ids without a job were dropped from a queue');
    expect(dropped.reduce((sum, { fields }) => sum + Number(fields['dropped']), 0)).toBe(250);
  });

  it('counts for nothing where a number is expected', async () => {
    const { scene, change } = await tampering();
    const queue = await scene.open({ max_attempts: 2 });
    await queue.enqueueBatch(
      'q',
      ['a', 'b', 'c', 'd'].map((jobId) => ({ data: jobId, jobId })),
    );
    await change('hset', 'attempts', 'a', 'nan', 'b', '1e999', 'c', '-7', 'd', '99999999999999999999');
    await change('hset', 'max-attempts', 'a', 'inf', 'b', '', 'c', '0x10', 'd', '1.5');
    const attempts: string[] = [];
    queue.process('q', async ({ id, attempt, maxAttempts }) => {
      attempts.push(`${id} ${attempt}/${maxAttempts}`);
      throw new Error('no');
    });
    await until(async () => (await queue.stats('q')).deadLetter === 4);
    expect(attempts.sort()).toEqual(['a 1/2', 'a 2/2', 'b 1/2', 'b 2/2', 'c 1/2', 'c 2/2', 'd 1/2', 'd 2/2']);
  });

  it('makes another job of the same id a conflict', async () => {
    const { scene, change } = await tampering();
    const queue = await scene.open();
    await change('hset', 'jobs', 'one', 'garbage');
    await expect(queue.enqueue('q', 'x', { jobId: 'one' })).rejects.toThrow(
      'a job with this id and other data exists',
    );
  });

  it('costs events and wake-ups only, where their keys hold something else', async () => {
    const { scene, change } = await tampering();
    const queue = await scene.open();
    await change('set', 'events', 'not a stream');
    await change('set', 'notify', 'not a list');
    await queue.enqueue('q', 'x');
    await expect(queue.listEvents('q', 10)).rejects.toThrow(QueueUnavailable);
    const jobs = collect(queue, 'q');
    await until(async () => (await queue.stats('q')).completed === 1);
    expect(jobs).toHaveLength(1);
  });

  it('never costs a job, whichever key holds something else for a while', async () => {
    for (const part of PARTS) {
      const { scene, change } = await tampering();
      const producer = await scene.open({ max_attempts: 3 });
      // The victim of a broken key may be handed out twice, but must not be lost.
      await change('set', part, 'of another type');
      await producer.enqueue('q', 'x', { jobId: 'one', deduplicationKey: 'key' }).catch(() => undefined);
      const consumer = await scene.open({ max_attempts: 3, lease_duration_ms: 300 });
      let refusals = 1;
      const done: string[] = [];
      consumer.process('q', async ({ data }) => {
        if (refusals-- > 0) throw new Error('no');
        done.push(data);
      });
      await new Promise((resolve) => setTimeout(resolve, 100));
      await change('del', part);
      await producer.enqueue('q', 'x', { jobId: 'one', deduplicationKey: 'key' });
      await until(() => done.length > 0);
      expect(done[0]).toBe('x');
    }
  });

  it('is left out of the events when it is none', async () => {
    const { scene, change } = await tampering();
    const queue = await scene.open();
    await queue.enqueue('q', 'x', { jobId: 'one' });
    await change('xadd', 'events', '*', 'event', 'invented', 'job_id', 'x');
    await change('xadd', 'events', '*', 'something', 'else');
    expect((await queue.listEvents('q', 10)).map(({ event }) => event)).toEqual(['enqueued']);
  });
});
