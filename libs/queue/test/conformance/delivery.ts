import { describe, expect, it } from 'vitest';
import { CannotConsume, defer, HandlerExists, InvalidJob } from '../../src/index.js';
import { collect, gate, until, type Scene } from '../scene.js';
import { givesBackAnyText } from './any-text.js';

/** Delivery and redelivery. */
export function deliveryConformance(name: string, openScene: () => Promise<Scene>): void {
  describe(`${name}: delivery`, () => {
    it('hands out a job once when its handler resolves', async () => {
      const queue = await (await openScene()).open();
      const jobs = collect(queue, 'q');
      const id = await queue.enqueue('q', 'work');
      await until(async () => (await queue.stats('q')).completed === 1);
      expect(jobs).toMatchObject([{ id, queue: 'q', data: 'work', attempt: 1, maxAttempts: 5 }]);
      expect(jobs[0]?.enqueuedAtMs).toBeGreaterThan(1_700_000_000_000);
    });

    it('hands out what is there already when a handler comes', async () => {
      const queue = await (await openScene()).open();
      await queue.enqueue('q', 'before');
      const jobs = collect(queue, 'q');
      await until(() => jobs.length === 1);
      expect(jobs[0]?.data).toBe('before');
    });

    it('hands out jobs in the order they came in', async () => {
      const queue = await (await openScene()).open();
      const expected = Array.from({ length: 60 }, (_, number) => `job ${number}`);
      for (const data of expected.slice(0, 20)) await queue.enqueue('q', data);
      await queue.enqueueBatch(
        'q',
        expected.slice(20).map((data) => ({ data })),
      );
      const jobs = collect(queue, 'q');
      await until(() => jobs.length === expected.length);
      expect(jobs.map(({ data }) => data)).toEqual(expected);
    });

    givesBackAnyText(openScene, { unit: 'grapheme', numRuns: 20, inOrder: true });

    it('keeps queues apart, whatever their names', async () => {
      const queue = await (await openScene()).open();
      const names = ['a', 'a:b', 'a b', 'a%20b', '{a}', 'é', '*', 'a\n', 'A'];
      const seen = names.map((one) => ({ one, jobs: collect(queue, one) }));
      for (const one of names) await queue.enqueue(one, one);
      await until(() => seen.every(({ jobs }) => jobs.length === 1));
      expect(seen.map(({ jobs }) => jobs[0]?.data)).toEqual(names);
    });

    it('refuses a queue without a name, or with an endless one', async () => {
      const queue = await (await openScene()).open();
      for (const bad of ['', 'é'.repeat(257)]) {
        await expect(queue.enqueue(bad, 'x')).rejects.toBeInstanceOf(InvalidJob);
        expect(() => queue.process(bad, async () => {})).toThrow(InvalidJob);
      }
    });

    it('hands out a failed job again, with the next attempt number', async () => {
      const queue = await (await openScene()).open();
      const attempts: number[] = [];
      queue.process('q', async ({ attempt }) => {
        attempts.push(attempt);
        if (attempt < 3) throw new Error('not yet');
      });
      await queue.enqueue('q', 'x');
      await until(async () => (await queue.stats('q')).completed === 1);
      expect(attempts).toEqual([1, 2, 3]);
    });

    it('hands out a job again whose handler crashes', async () => {
      const queue = await (await openScene()).open();
      const attempts: number[] = [];
      queue.process('q', ({ attempt }) => {
        attempts.push(attempt);
        if (attempt === 1) throw new Error('before any promise');
        return attempt === 2 ? Promise.reject('no error at all') : Promise.resolve();
      });
      await queue.enqueue('q', 'x');
      await until(async () => (await queue.stats('q')).completed === 1);
      expect(attempts).toEqual([1, 2, 3]);
    });

    it('takes a deferred job back without using up an attempt', async () => {
      const queue = await (await openScene()).open();
      const attempts: number[] = [];
      queue.process('q', async ({ attempt }) => {
        attempts.push(attempt);
        return attempts.length <= 4 ? defer(attempts.length % 2 === 0 ? 0 : 5) : undefined;
      });
      await queue.enqueue('q', 'x', { maxAttempts: 2 });
      await until(async () => (await queue.stats('q')).completed === 1);
      expect(attempts).toEqual([1, 1, 1, 1, 1]);
    });

    it('holds a delayed job back, and lets others pass', async () => {
      const queue = await (await openScene()).open();
      const delayed = await queue.enqueue('q', 'later', { delayMs: 1000 });
      expect(await queue.stats('q')).toMatchObject({ ready: 0, delayed: 1, oldestReadyAgeMs: null });
      const jobs = collect(queue, 'q');
      const ready = await queue.enqueue('q', 'now', { delayMs: 0 });
      await until(() => jobs.length === 2);
      expect(jobs.map(({ id }) => id)).toEqual([ready, delayed]);
      const events = await queue.listEvents('q', 100);
      expect(events.filter(({ jobId }) => jobId === delayed).map(({ event }) => event)).toContain('waiting');
    });

    it('runs no more handlers and holds no more jobs than told', async () => {
      const queue = await (await openScene()).open();
      const end = gate();
      let running = 0;
      let most = 0;
      await queue.enqueueBatch(
        'q',
        Array.from({ length: 40 }, () => ({ data: 'x' })),
      );
      queue.process(
        'q',
        async () => {
          most = Math.max(most, ++running);
          await end.opened;
          running--;
        },
        { concurrency: 3, prefetch: 7 },
      );
      await until(() => running === 3);
      expect((await queue.stats('q')).active).toBeLessThanOrEqual(7);
      end.open();
      await until(async () => (await queue.stats('q')).completed === 40);
      expect(most).toBe(3);
    });

    it('runs no more handlers than it may hold jobs', async () => {
      const queue = await (await openScene()).open();
      let running = 0;
      let most = 0;
      await queue.enqueueBatch(
        'q',
        Array.from({ length: 20 }, () => ({ data: 'x' })),
      );
      queue.process(
        'q',
        async () => {
          most = Math.max(most, ++running);
          await new Promise((resolve) => setImmediate(resolve));
          running--;
        },
        { concurrency: 5, prefetch: 1 },
      );
      await until(async () => (await queue.stats('q')).completed === 20);
      expect(most).toBe(1);
    });

    it('has one handler a queue', async () => {
      const queue = await (await openScene()).open();
      queue.process('q', async () => {});
      expect(() => queue.process('q', async () => {})).toThrow(HandlerExists);
      expect(() => queue.process('other', async () => {})).not.toThrow(CannotConsume);
    });

    it('refuses handlers that would never run', async () => {
      const queue = await (await openScene()).open();
      for (const options of [{ concurrency: 0 }, { concurrency: 1.5 }, { prefetch: 0 }, { prefetch: NaN }]) {
        expect(() => queue.process('q', async () => {}, options)).toThrow(InvalidJob);
      }
    });

    it('is connected once, however often it is asked', async () => {
      const queue = await (await openScene()).open();
      const jobs = collect(queue, 'q');
      await queue.connect();
      await queue.enqueue('q', 'x');
      await until(async () => (await queue.stats('q')).completed === 1);
      expect(jobs).toHaveLength(1);
      await expect(queue.health()).resolves.toBeUndefined();
    });
  });
}
