import { describe, expect, it } from 'vitest';
import {
  deadLetter,
  defer,
  InvalidJob,
  JobConflict,
  type Job,
  type JobHandler,
  type Queue,
} from '../../src/index.js';
import { gate, sleep, until, type Scene } from '../scene.js';

/** Handles the jobs of `q`, and names those that were begun, in order. */
function begun(queue: Queue, handler: (job: Job) => ReturnType<JobHandler>): string[] {
  const names: string[] = [];
  queue.process(
    'q',
    (job) => {
      names.push(job.data);
      return handler(job);
    },
    { concurrency: 16, prefetch: 16 },
  );
  return names;
}

const inLines = (data: string, ...lines: string[]) => ({ data, jobId: data, lines });

/** The order of jobs that stand in line. */
export function linesConformance(name: string, openScene: () => Promise<Scene>): void {
  describe(`${name}: lines`, () => {
    it('lets one job of a line run at a time, in the order they came', async () => {
      const queue = await (await openScene()).open();
      let [running, most] = [0, 0];
      const names = begun(queue, async () => {
        most = Math.max(most, ++running);
        await sleep(2);
        running--;
      });
      const wanted = Array.from({ length: 30 }, (_, n) => `${n}`);
      for (const data of wanted.slice(0, 10)) await queue.enqueue('q', data, { lines: ['a'] });
      await queue.enqueueBatch(
        'q',
        wanted.slice(10).map((data) => ({ data, lines: ['a'] })),
      );
      await until(async () => (await queue.stats('q')).completed === 30);
      expect(names).toEqual(wanted);
      expect(most).toBe(1);
    });

    it('lets nobody wait who stands in no common line', async () => {
      const queue = await (await openScene()).open();
      const end = gate();
      const names = begun(queue, async ({ data }) => {
        if (data === 'holds') await end.opened;
      });
      await queue.enqueueBatch('q', [
        inLines('holds', 'a', 'b'),
        inLines('behind one', 'b', 'c'),
        inLines('behind that', 'c'),
        inLines('apart', 'd'),
        { data: 'in no line' },
      ]);
      await until(async () => (await queue.stats('q')).completed === 2);
      expect(names).toEqual(['holds', 'apart', 'in no line']);
      expect(await queue.stats('q')).toMatchObject({ ready: 0, active: 1, delayed: 2 });
      end.open();
      await until(async () => (await queue.stats('q')).completed === 5);
      expect(names.slice(3)).toEqual(['behind one', 'behind that']);
    });

    it('keeps the places of a job that fails, is deferred or goes on with other data', async () => {
      const queue = await (await openScene()).open({ max_attempts: 5 });
      let step = 0;
      const names = begun(queue, async ({ data, attempt }) => {
        if (data === 'next') return undefined;
        step += 1;
        if (step === 1) throw new Error('no');
        if (step === 2) return defer(30);
        if (step === 3) return defer(0);
        expect(attempt).toBe(step === 4 ? 2 : 1);
        return step === 4 ? defer(30, 'further') : undefined;
      });
      await queue.enqueueBatch('q', [inLines('first', 'a'), inLines('next', 'a')]);
      await until(async () => (await queue.stats('q')).completed === 2);
      expect(names).toEqual(['first', 'first', 'first', 'first', 'further', 'next']);
      expect(await queue.enqueue('q', 'first', { jobId: 'first' })).toBe('first');
      await expect(queue.enqueue('q', 'further', { jobId: 'first' })).rejects.toThrow(JobConflict);
    });

    it('fails a delivery that would go on with more than a job may hold', async () => {
      const queue = await (await openScene()).open({ max_attempts: 1 });
      begun(queue, async () => defer(0, 'x'.repeat(queue.limits.maxJobBytes + 1)));
      await queue.enqueue('q', 'small');
      await until(async () => (await queue.stats('q')).deadLetter === 1);
      const [letter] = await queue.listDeadLetters('q', 1);
      expect(letter).toMatchObject({ data: 'small', reason: 'attempts-exhausted' });
      expect(letter?.detail).toContain('data must be at most');
    });

    it('lets a delayed job hold its place, and others of other lines pass', async () => {
      const queue = await (await openScene()).open();
      const names = begun(queue, async () => undefined);
      await queue.enqueue('q', 'later', { delayMs: 400, lines: ['a'] });
      await queue.enqueue('q', 'behind', { delayMs: 10, lines: ['a'] });
      await queue.enqueue('q', 'apart', { lines: ['b'] });
      await until(async () => (await queue.stats('q')).completed === 3);
      expect(names).toEqual(['apart', 'later', 'behind']);
    });

    it('goes on behind a dead letter, which stands at the end when it is replayed', async () => {
      const queue = await (await openScene()).open({ max_attempts: 1 });
      const end = gate();
      let isBad = true;
      const names = begun(queue, async ({ data }) => {
        if (data === 'bad' && isBad) return deadLetter('no');
        if (data === 'worse' && isBad) throw new Error('no');
        if (data === 'holds') await end.opened;
        return undefined;
      });
      await queue.enqueueBatch('q', [
        inLines('bad', 'a', 'b'),
        inLines('worse', 'a', 'b'),
        inLines('holds', 'b'),
      ]);
      await until(() => names.includes('holds'));
      isBad = false;
      expect(await queue.replayDeadLetters('q', 10)).toBe(2);
      await queue.enqueue('q', 'last', { lines: ['a'] });
      await sleep(100);
      expect(names).toEqual(['bad', 'worse', 'holds']);
      end.open();
      await until(async () => (await queue.stats('q')).completed === 4);
      expect(names.slice(3)).toEqual(['bad', 'worse', 'last']);
    });

    it('takes no second place for a job that is there already', async () => {
      const queue = await (await openScene()).open();
      const end = gate();
      const names = begun(queue, () => end.opened);
      const one = { ...inLines('one', 'a'), deduplicationKey: 'key' };
      await queue.enqueueBatch('q', [one, one, { data: 'other', lines: ['a'], deduplicationKey: 'key' }]);
      await queue.enqueueBatch('q', [one, inLines('two', 'a', 'a')]);
      await until(() => names.length === 1);
      await queue.enqueue('q', 'one', { jobId: 'one', lines: ['a', 'b'] });
      end.open();
      await until(async () => (await queue.stats('q')).completed === 2);
      expect(names).toEqual(['one', 'two']);
    });

    it('forgets the places of jobs that are removed', async () => {
      const queue = await (await openScene()).open({ failed_retention: 1 });
      const names = begun(queue, async ({ data }) => (data === 'good' ? undefined : deadLetter('no')));
      for (const data of ['gone', 'removed']) {
        await queue.enqueue('q', data, { jobId: data, lines: ['a'] });
        await until(async () => names.includes(data) && (await queue.stats('q')).active === 0);
      }
      expect(await queue.removeDeadLetters('q', ['gone', 'removed'])).toBe(1);
      await queue.enqueue('q', 'good', { jobId: 'removed', lines: ['a', 'b'] });
      await until(async () => (await queue.stats('q')).completed === 1);
      expect(await queue.stats('q')).toMatchObject({ ready: 0, delayed: 0, deadLetter: 0 });
    });

    it('takes as many lines as allowed, of any names, and no more', async () => {
      const queue = await (await openScene()).open();
      expect(queue.capabilities.lines).toBe(true);
      const names = begun(queue, async () => undefined);
      const many = Array.from({ length: 1000 }, (_, n) => `line ${n}`);
      const odd = ['x'.repeat(512), 'a:b\n{c}\0', '__proto__', '0'];
      await queue.enqueueBatch('q', [
        ...Array.from({ length: 7 }, (_, n) => ({ data: `${n}`, lines: many })),
        { data: 'odd', lines: odd },
        { data: 'odd too', lines: odd },
      ]);
      for (const lines of [[...many, 'one more'], [''], ['x'.repeat(513)]]) {
        await expect(queue.enqueue('q', 'x', { lines })).rejects.toThrow(InvalidJob);
      }
      await until(async () => (await queue.stats('q')).completed === 9);
      expect(names.filter((data) => !data.startsWith('odd'))).toEqual(['0', '1', '2', '3', '4', '5', '6']);
      expect(names.filter((data) => data.startsWith('odd'))).toEqual(['odd', 'odd too']);
    });

    it('keeps them through a stop, and gives places back with the jobs', async () => {
      const scene = await openScene();
      const queue = await scene.open({ shutdown_timeout_ms: 50 });
      if (!queue.capabilities.durable) return;
      const first = begun(queue, () => new Promise(() => undefined));
      await queue.enqueueBatch('q', [inLines('one', 'a'), inLines('two', 'a'), inLines('three', 'a')]);
      await until(() => first.length === 1);
      await queue.close();
      const other = await scene.open();
      const names = begun(other, async () => undefined);
      await until(async () => (await other.stats('q')).completed === 3);
      expect(names).toEqual(['one', 'two', 'three']);
    });
  });
}
