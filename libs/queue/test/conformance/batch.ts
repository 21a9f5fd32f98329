import { describe, expect, it } from 'vitest';
import { BatchIncomplete, InvalidJob, JobConflict } from '../../src/index.js';
import { collect, until, type Scene } from '../scene.js';

/** Many jobs at once, and large ones. */
export function batchConformance(name: string, openScene: () => Promise<Scene>): void {
  describe(`${name}: batches`, () => {
    it('takes a batch larger than may be written at once', async () => {
      const queue = await (await openScene()).open({ max_batch_size: 7 });
      const batch = Array.from({ length: 40 }, (_, n) => ({ data: `${n}`, jobId: `id ${n}` }));
      const ids = await queue.enqueueBatch('q', batch);
      expect(ids).toEqual(batch.map(({ jobId }) => jobId));
      const jobs = collect(queue, 'q');
      await until(() => jobs.length === 40);
      expect(jobs.map(({ data }) => data)).toEqual(batch.map(({ data }) => data));
    });

    it('takes more than a thousand', async () => {
      const queue = await (await openScene()).open();
      const ids = await queue.enqueueBatch(
        'q',
        Array.from({ length: 2500 }, (_, n) => ({ data: `${n}` })),
      );
      expect(new Set(ids).size).toBe(2500);
      expect(await queue.stats('q')).toMatchObject({ ready: 2500 });
    });

    it('takes an empty batch', async () => {
      const queue = await (await openScene()).open();
      expect(await queue.enqueueBatch('q', [])).toEqual([]);
    });

    it('gives every job the options it came with', async () => {
      const queue = await (await openScene()).open();
      const ids = await queue.enqueueBatch('q', [
        { data: 'first', deduplicationKey: 'key' },
        { data: 'second', deduplicationKey: 'key' },
        { data: 'third', jobId: 'mine' },
        { data: 'third', jobId: 'mine' },
        { data: 'later', delayMs: 60_000 },
      ]);
      expect(ids[1]).toBe(ids[0]);
      expect(ids.slice(2, 4)).toEqual(['mine', 'mine']);
      expect(await queue.stats('q')).toMatchObject({ ready: 2, delayed: 1 });
    });

    it('writes nothing of a chunk in which a job is in conflict', async () => {
      const queue = await (await openScene()).open();
      await queue.enqueue('q', 'x', { jobId: 'taken' });
      const batch = [{ data: 'a' }, { data: 'y', jobId: 'taken' }, { data: 'b', deduplicationKey: 'key' }];
      await expect(queue.enqueueBatch('q', batch)).rejects.toThrow(JobConflict);
      const within = [
        { data: 'a', jobId: 'new' },
        { data: 'b', jobId: 'new' },
      ];
      await expect(queue.enqueueBatch('q', within)).rejects.toThrow(JobConflict);
      expect(await queue.stats('q')).toMatchObject({ ready: 1 });
      await queue.enqueueBatch('q', [{ data: 'b', deduplicationKey: 'key' }]);
      expect(await queue.stats('q')).toMatchObject({ ready: 2 });
    });

    it('says what was written when a later chunk fails', async () => {
      const queue = await (await openScene()).open({ max_batch_size: 2 });
      await queue.enqueue('q', 'x', { jobId: 'taken' });
      const batch = [
        { data: 'a', jobId: 'a' },
        { data: 'b', jobId: 'b' },
        { data: 'c', jobId: 'c' },
        { data: 'y', jobId: 'taken' },
        { data: 'd', jobId: 'd' },
      ];
      const error: unknown = await queue.enqueueBatch('q', batch).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(BatchIncomplete);
      const { ids, failures } = error as BatchIncomplete;
      expect(ids).toEqual(['a', 'b', null, null, null]);
      expect(failures.map(({ index }) => index)).toEqual([2, 3, 4]);
      expect(failures[0]?.error).toBeInstanceOf(JobConflict);
      expect(await queue.stats('q')).toMatchObject({ ready: 3 });
    });

    it('takes a job of the largest size, and several, but none larger', async () => {
      const queue = await (await openScene()).open();
      const most = queue.limits.maxJobBytes;
      const large = 'é'.repeat(most / 2);
      await expect(queue.enqueue('q', `${large}x`)).rejects.toThrow(InvalidJob);
      await expect(queue.enqueueBatch('q', [{ data: 'x' }, { data: `${large}x` }])).rejects.toThrow(
        InvalidJob,
      );
      expect(await queue.stats('q')).toMatchObject({ ready: 0 });
      await queue.enqueueBatch('q', [{ data: large }, { data: large }, { data: large }, { data: large }]);
      let intact = 0;
      queue.process('q', async ({ data }) => {
        if (data === large) intact++;
      });
      await until(async () => (await queue.stats('q')).completed === 4);
      expect(intact).toBe(4);
    });
  });
}
