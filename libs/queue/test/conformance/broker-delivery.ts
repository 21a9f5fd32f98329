import { describe, expect, it } from 'vitest';
import { defer, HandlerExists, InvalidJob, type Queue, QueueOptionUnsupported } from '../../src/index.js';
import { collect, gate, until, type Scene } from '../scene.js';
import { givesBackAnyText } from './any-text.js';
import { counted } from './settled.js';

/** Number of jobs that fills several requests. */
const manyOf = ({ limits }: Queue): number => Math.min(200, limits.maxBatchJobs * 3);

/** Delivery and redelivery over a broker that keeps the states of jobs. */
export function brokerDelivery(name: string, openScene: () => Promise<Scene>): void {
  describe(`${name}: delivery`, () => {
    it('hands out a job once when its handler resolves, also one that was there before', async () => {
      const { queue, outcomes, ended } = await counted(await openScene());
      const before = await queue.enqueue('q', 'before');
      const jobs = collect(queue, 'q');
      await ended('ok', 1);
      const id = await queue.enqueue('q', 'work');
      await ended('ok', 2);
      expect(jobs).toMatchObject([
        { id: before, queue: 'q', data: 'before', attempt: 1, maxAttempts: 5 },
        { id, queue: 'q', data: 'work', attempt: 1, maxAttempts: 5 },
      ]);
      expect(jobs[0]?.enqueuedAtMs).toBeGreaterThan(1_700_000_000_000);
      expect(outcomes).toEqual(['ok', 'ok']);
      await expect(queue.health()).resolves.toBeUndefined();
    });

    it('hands each job of batches to one of several processes', async () => {
      const scene = await openScene();
      const queues = [await scene.open({ max_batch_size: 70 }), await scene.open(), await scene.open()];
      const seen: string[] = [];
      for (const queue of queues) {
        queue.process('q', async ({ data }) => {
          seen.push(data);
        });
      }
      const many = queues[0] === undefined ? 0 : manyOf(queues[0]);
      const data = Array.from({ length: many }, (_, n) => `${n}`);
      const ids = await queues[0]?.enqueueBatch(
        'q',
        data.map((one) => ({ data: one, partitionKey: one })),
      );
      expect(new Set(ids).size).toBe(many);
      await until(() => seen.length >= many);
      expect(seen.toSorted()).toEqual(data.toSorted());
    });

    givesBackAnyText(openScene, { unit: 'binary', numRuns: 5, inOrder: false });

    it('keeps queues apart, whatever their names', async () => {
      const queue = await (await openScene()).open();
      const names = [
        'a',
        'a.b',
        'a_b',
        'a-b',
        'a:b',
        'a b',
        '.a',
        'é',
        '*',
        '>',
        'a\n',
        'A',
        'x'.repeat(512),
      ];
      const seen = names.map((one) => collect(queue, one));
      await Promise.all(names.map((one) => queue.enqueue(one, one)));
      await until(() => seen.every((jobs) => jobs.length === 1));
      expect(seen.map((jobs) => jobs[0]?.data)).toEqual(names);
    });

    it('hands out a failed job again, with the next attempt number', async () => {
      const { queue, outcomes, ended } = await counted(await openScene());
      const attempts: number[] = [];
      queue.process('q', ({ attempt }) => {
        attempts.push(attempt);
        if (attempt === 1) throw new Error('before any promise');
        return attempt === 2 ? Promise.reject(new Error('not yet')) : Promise.resolve();
      });
      await queue.enqueue('q', 'x');
      await ended('ok', 1);
      expect(attempts).toEqual([1, 2, 3]);
      expect(outcomes).toEqual(['retry', 'retry', 'ok']);
    });

    it('hands out again after their pauses many jobs, whose leases were just renewed', async () => {
      const { queue, ended } = await counted(await openScene(), { lease_renew_interval_ms: 20 });
      queue.process('q', async ({ attempt }) => {
        if (attempt < 3) throw new Error('not yet');
      });
      const many = manyOf(queue);
      await queue.enqueueBatch(
        'q',
        Array.from({ length: many }, (_, n) => ({ data: 'x', partitionKey: `${n}` })),
      );
      // The pauses are brief, and the leases longer than this test may take.
      await ended('ok', many);
    }, 18_000);

    it('takes a deferred job back without using up an attempt, and gives it out when its time has come', async () => {
      const { queue, ended } = await counted(await openScene(), { max_attempts: 2 });
      const seen: string[] = [];
      queue.process('q', async ({ attempt }) => {
        seen.push(`${attempt} ${seen.length < 4 ? 'early' : 'done'}`);
        return seen.length <= 4 ? defer(seen.length % 2 === 0 ? 0 : 30) : undefined;
      });
      await queue.enqueue('q', 'x');
      await ended('ok', 1);
      expect(seen).toEqual(['1 early', '1 early', '1 early', '1 early', '1 done']);
    });

    it('goes on with other data, its attempts forgotten and its id kept', async () => {
      const { queue, ended } = await counted(await openScene(), { max_attempts: 2 });
      const seen: string[] = [];
      queue.process('q', async ({ id: own, data, attempt }) => {
        seen.push(`${own} ${data} ${attempt}`);
        if (attempt === 1) throw new Error('once');
        return data === 'first' ? defer(0, 'second') : undefined;
      });
      const id = await queue.enqueue('q', 'first');
      await ended('ok', 1);
      expect(seen).toEqual([`${id} first 1`, `${id} first 2`, `${id} second 1`, `${id} second 2`]);
    });

    it('refuses what it cannot honour, and writes nothing', async () => {
      const queue = await (await openScene()).open();
      const { capabilities, limits } = queue;
      const refused = [
        ...(capabilities.delayedDelivery ? [] : [{ delayMs: 1 }]),
        ...(capabilities.deduplication ? [] : [{ jobId: 'one' }, { deduplicationKey: 'key' }]),
        ...(limits.attemptOverride ? [] : [{ maxAttempts: 2 }]),
        ...(Number.isFinite(limits.maxDelayMs) ? [{ delayMs: limits.maxDelayMs + 1 }] : []),
      ];
      expect(refused.length).toBeGreaterThan(0);
      for (const options of refused) {
        const batch = [{ data: 'fine' }, { data: 'x', ...options }];
        await expect(queue.enqueueBatch('q', batch)).rejects.toThrow(QueueOptionUnsupported);
        const [option = ''] = Object.keys(options);
        await expect(queue.enqueue('q', 'x', options)).rejects.toThrow(
          `queue driver ${queue.driver}: ${option}`,
        );
      }
      const { ready } = await queue.stats('q');
      expect(ready ?? 0).toBe(0);
    });

    it('runs no more handlers and holds no more jobs than told', async () => {
      const { queue, ended } = await counted(await openScene());
      const end = gate();
      let running = 0;
      let most = 0;
      await queue.enqueueBatch(
        'q',
        Array.from({ length: 20 }, (_, n) => ({ data: 'x', partitionKey: `${n}` })),
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
      expect((await queue.stats('q')).active ?? 0).toBeLessThanOrEqual(7);
      expect(() => queue.process('q', async () => {})).toThrow(HandlerExists);
      end.open();
      await ended('ok', 20);
      expect(most).toBe(3);
    });

    it('takes a job of the largest size, and several, but none larger', async () => {
      const { queue, ended } = await counted(await openScene());
      const large = 'é'.repeat(queue.limits.maxJobBytes / 2);
      await expect(queue.enqueue('q', `${large}x`)).rejects.toThrow(InvalidJob);
      await queue.enqueueBatch('q', [{ data: large }, { data: large }, { data: large }]);
      let intact = 0;
      queue.process('q', async ({ data }) => {
        if (data === large) intact++;
      });
      await ended('ok', 3);
      expect(intact).toBe(3);
    });
  });
}
