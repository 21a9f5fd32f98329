import { describe, expect, it } from 'vitest';
import { deadLetter, InvalidJob, JobConflict } from '../../src/index.js';
import { collect, gate, sleep, until, type Scene } from '../scene.js';

/** Stable ids and deduplication keys. */
export function identityConformance(name: string, openScene: () => Promise<Scene>): void {
  describe(`${name}: identity`, () => {
    it('takes the same job under the same id once, while it waits, runs or was just completed', async () => {
      const queue = await (await openScene()).open();
      const end = gate();
      let deliveries = 0;
      const same = async () => expect(await queue.enqueue('q', 'x', { jobId: 'one' })).toBe('one');
      await same();
      await same();
      queue.process('q', async () => {
        deliveries++;
        await end.opened;
      });
      await until(() => deliveries === 1);
      await same();
      end.open();
      await until(async () => (await queue.stats('q')).completed === 1);
      await same();
      expect(await queue.stats('q')).toMatchObject({ ready: 0, active: 0, delayed: 0 });
      expect(deliveries).toBe(1);
    });

    it('refuses another job under the same id, and keeps the first', async () => {
      const queue = await (await openScene()).open();
      const conflict = () => expect(queue.enqueue('q', 'y', { jobId: 'one' })).rejects.toThrow(JobConflict);
      await queue.enqueue('q', 'x', { jobId: 'one' });
      await conflict();
      expect(await queue.stats('q')).toMatchObject({ ready: 1 });
      const jobs = collect(queue, 'q');
      await until(async () => (await queue.stats('q')).completed === 1);
      expect(jobs.map(({ data }) => data)).toEqual(['x']);
      await conflict();
    });

    it('knows a dead job', async () => {
      const queue = await (await openScene()).open();
      queue.process('q', async () => deadLetter('no'));
      await queue.enqueue('q', 'x', { jobId: 'one' });
      await until(async () => (await queue.stats('q')).deadLetter === 1);
      expect(await queue.enqueue('q', 'x', { jobId: 'one' })).toBe('one');
      await expect(queue.enqueue('q', 'y', { jobId: 'one' })).rejects.toThrow(JobConflict);
      expect(await queue.stats('q')).toMatchObject({ ready: 0, deadLetter: 1 });
    });

    it('forgets completed jobs beyond those to be kept', async () => {
      const queue = await (await openScene()).open({ completed_retention: 2 });
      const jobs = collect(queue, 'q');
      for (const jobId of ['one', 'two', 'three']) {
        const before = jobs.length;
        await queue.enqueue('q', 'x', { jobId });
        await until(async () => jobs.length === before + 1 && (await queue.stats('q')).active === 0);
      }
      expect((await queue.stats('q')).completed).toBe(2);
      await queue.enqueue('q', 'x', { jobId: 'three' });
      await queue.enqueue('q', 'another', { jobId: 'one' });
      await until(() => jobs.length === 4);
      expect(jobs[3]?.data).toBe('another');
    });

    it('forgets a completed job at once when none are kept', async () => {
      const queue = await (await openScene()).open({ completed_retention: 0 });
      const jobs = collect(queue, 'q');
      await queue.enqueue('q', 'x', { jobId: 'one', deduplicationKey: 'key' });
      await until(async () => jobs.length === 1 && (await queue.stats('q')).active === 0);
      expect((await queue.stats('q')).completed).toBe(0);
      await queue.enqueue('q', 'y', { jobId: 'one', deduplicationKey: 'key' });
      await until(() => jobs.length === 2);
    });

    it('lets one of many at once have an id', async () => {
      const queue = await (await openScene()).open();
      const all = Array.from({ length: 20 }, (_, n) => queue.enqueue('q', `${n % 2}`, { jobId: 'one' }));
      const outcomes = await Promise.allSettled(all);
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
      expect(await queue.stats('q')).toMatchObject({ ready: 1 });
    });

    it('takes the first of several jobs with one deduplication key', async () => {
      const queue = await (await openScene()).open();
      const first = await queue.enqueue('q', 'x', { deduplicationKey: 'key' });
      expect(await queue.enqueue('q', 'other data', { deduplicationKey: 'key' })).toBe(first);
      expect(await queue.enqueue('q', 'x', { deduplicationKey: 'key', jobId: 'given' })).toBe(first);
      expect(await queue.enqueue('other', 'x', { deduplicationKey: 'key' })).not.toBe(first);
      const second = await queue.enqueue('q', 'x', { deduplicationKey: 'KEY' });
      expect(second).not.toBe(first);
      const jobs = collect(queue, 'q');
      await until(async () => (await queue.stats('q')).completed === 2);
      expect(jobs.map(({ id }) => id)).toEqual([first, second]);
      expect(await queue.enqueue('q', 'x', { deduplicationKey: 'key' })).toBe(first);
    });

    it('frees a deduplication key after its time', async () => {
      const queue = await (await openScene()).open({ deduplication_ttl_ms: 150 });
      const first = await queue.enqueue('q', 'x', { deduplicationKey: 'key' });
      expect(await queue.enqueue('q', 'x', { deduplicationKey: 'key' })).toBe(first);
      await sleep(200);
      const second = await queue.enqueue('q', 'x', { deduplicationKey: 'key' });
      expect(second).not.toBe(first);
      expect(await queue.stats('q')).toMatchObject({ ready: 2 });
    });

    it('frees a deduplication key with its job', async () => {
      const queue = await (await openScene()).open();
      queue.process('q', async () => deadLetter('no'));
      const first = await queue.enqueue('q', 'x', { deduplicationKey: 'key' });
      await until(async () => (await queue.stats('q')).deadLetter === 1);
      expect(await queue.enqueue('q', 'x', { deduplicationKey: 'key' })).toBe(first);
      await queue.removeDeadLetters('q', [first]);
      expect(await queue.enqueue('q', 'x', { deduplicationKey: 'key' })).not.toBe(first);
    });

    it('frees a deduplication key with its job, also when another job takes the id', async () => {
      const queue = await (await openScene()).open();
      queue.process('q', async ({ data }) => (data === 'dead' ? deadLetter('no') : undefined));
      await queue.enqueue('q', 'dead', { jobId: 'one', deduplicationKey: 'key' });
      await until(async () => (await queue.stats('q')).deadLetter === 1);
      await queue.removeDeadLetters('q', ['one']);
      await queue.enqueue('q', 'x', { jobId: 'one', deduplicationKey: 'other key' });
      const second = await queue.enqueue('q', 'y', { deduplicationKey: 'key' });
      expect(second).not.toBe('one');
      expect(await queue.enqueue('q', 'z', { deduplicationKey: 'other key' })).toBe('one');
      await until(async () => (await queue.stats('q')).completed === 2);
    });

    it('refuses options out of their bounds, and writes nothing', async () => {
      const queue = await (await openScene()).open();
      const bad = [
        { jobId: '' },
        { jobId: 'é'.repeat(257) },
        { deduplicationKey: '' },
        { deduplicationKey: 'x'.repeat(513) },
        { partitionKey: '' },
        { delayMs: -1 },
        { delayMs: 0.5 },
        { delayMs: Infinity },
        { delayMs: NaN },
        { maxAttempts: 0 },
        { maxAttempts: 1.5 },
      ];
      for (const options of bad) {
        await expect(queue.enqueue('q', 'x', options)).rejects.toThrow(InvalidJob);
        const batch = [{ data: 'fine' }, { data: 'x', ...options }];
        await expect(queue.enqueueBatch('q', batch)).rejects.toThrow(InvalidJob);
      }
      expect(await queue.stats('q')).toMatchObject({ ready: 0, delayed: 0 });
    });

    it('takes ids and keys as long as allowed, of any characters', async () => {
      const queue = await (await openScene()).open();
      const jobs = collect(queue, 'q');
      const ids = ['x'.repeat(512), 'é'.repeat(256), 'a:b c\n{d}*%\0"', '__proto__', '0', '-1', 'nil'];
      for (const id of ids) {
        await queue.enqueue('q', id, { jobId: id, deduplicationKey: id, partitionKey: id });
      }
      await until(async () => (await queue.stats('q')).completed === ids.length);
      expect(jobs.map(({ id }) => id)).toEqual(ids);
      expect(jobs.map(({ data }) => data)).toEqual(ids);
    });
  });
}
