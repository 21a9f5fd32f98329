import { REDACTED } from '@carillon/config';
import { describe, expect, it } from 'vitest';
import { deadLetter, type DeadLetter, type Queue } from '../../src/index.js';
import { collect, until, type Scene } from '../scene.js';

/** Makes jobs dead letters, one after the other. */
async function bury(queue: Queue, data: readonly string[]): Promise<void> {
  queue.process('q', async () => deadLetter('of no use'), { concurrency: 1 });
  for (const [index, one] of data.entries()) {
    await queue.enqueue('q', one);
    await until(async () => (await queue.listDeadLetters('q', 1000)).some((dead) => dead.data === one));
    expect(index).toBeLessThan(data.length);
  }
}

const dataOf = (letters: readonly DeadLetter[]) => letters.map(({ data }) => data);

/** Failing jobs. */
export function deadLetterConformance(name: string, openScene: () => Promise<Scene>): void {
  describe(`${name}: dead letters`, () => {
    it('buries a job after its last attempt, and goes on with the others', async () => {
      const outcomes: string[] = [];
      const queue = await (
        await openScene()
      ).open({
        max_attempts: 3,
        onSettled: (of, outcome, count) => outcomes.push(...Array<string>(count).fill(`${of} ${outcome}`)),
      });
      let tries = 0;
      const done: string[] = [];
      queue.process('q', async ({ data }) => {
        if (data === 'poison') {
          tries++;
          throw new Error('indigestible');
        }
        done.push(data);
      });
      const id = await queue.enqueue('q', 'poison');
      for (const data of ['a', 'b', 'c']) await queue.enqueue('q', data);
      await until(async () => (await queue.stats('q')).deadLetter === 1 && done.length === 3);
      expect(tries).toBe(3);
      const [letter] = await queue.listDeadLetters('q', 10);
      expect(letter).toMatchObject({
        id,
        data: 'poison',
        reason: 'attempts-exhausted',
        detail: 'processor-error: indigestible',
        attempts: 3,
      });
      expect(letter?.failedAtMs).toBeGreaterThanOrEqual(letter?.enqueuedAtMs ?? Infinity);
      await until(() => outcomes.length === 6);
      expect(outcomes.sort()).toEqual(['q dead', 'q ok', 'q ok', 'q ok', 'q retry', 'q retry']);
    });

    it('lets a job have its own number of attempts', async () => {
      const queue = await (await openScene()).open();
      const tries: Record<string, number> = {};
      queue.process('q', async ({ data, maxAttempts }) => {
        tries[data] = (tries[data] ?? 0) + 1;
        throw new Error(`one of ${maxAttempts}`);
      });
      await queue.enqueueBatch('q', [
        { data: 'once', maxAttempts: 1 },
        { data: 'twice', maxAttempts: 2 },
      ]);
      await until(async () => (await queue.stats('q')).deadLetter === 2);
      expect(tries).toEqual({ once: 1, twice: 2 });
    });

    it('buries at once what a handler gives up', async () => {
      const queue = await (await openScene()).open();
      await bury(queue, ['x']);
      expect(await queue.listDeadLetters('q', 10)).toMatchObject([
        { data: 'x', reason: 'of no use', detail: null, attempts: 1 },
      ]);
      expect(await queue.stats('q')).toMatchObject({ ready: 0, active: 0, delayed: 0, deadLetter: 1 });
    });

    it('says that a handler crashed, and never with its secrets', async () => {
      const queue = await (await openScene()).open({ max_attempts: 1 });
      queue.process('q', ({ data }) => {
        if (data === 'thrown') throw new Error('token=abcdefgh');
        return Promise.reject('plain text');
      });
      await queue.enqueueBatch('q', [{ data: 'thrown' }, { data: 'rejected' }]);
      await until(async () => (await queue.stats('q')).deadLetter === 2);
      const letters = await queue.listDeadLetters('q', 10);
      expect(letters.map(({ detail }) => detail).sort()).toEqual([
        'processor-crash: plain text',
        `processor-crash: token=${REDACTED}`,
      ]);
    });

    it('lists the oldest first, as many as asked for', async () => {
      const queue = await (await openScene()).open();
      await bury(queue, ['a', 'b', 'c']);
      expect(dataOf(await queue.listDeadLetters('q', 2))).toEqual(['a', 'b']);
      expect(dataOf(await queue.listDeadLetters('q', 5000))).toEqual(['a', 'b', 'c']);
      expect(await queue.listDeadLetters('q', 0)).toEqual([]);
    });

    it('keeps the newest', async () => {
      const queue = await (await openScene()).open({ failed_retention: 2 });
      await bury(queue, ['a', 'b', 'c', 'd']);
      expect(dataOf(await queue.listDeadLetters('q', 10))).toEqual(['c', 'd']);
    });

    it('keeps none when none are to be kept', async () => {
      const queue = await (await openScene()).open({ failed_retention: 0 });
      let seen = 0;
      queue.process('q', async () => {
        seen++;
        return deadLetter('of no use');
      });
      await queue.enqueue('q', 'x', { jobId: 'one' });
      await until(async () => seen === 1 && (await queue.stats('q')).active === 0);
      expect(await queue.listDeadLetters('q', 10)).toEqual([]);
      await queue.enqueue('q', 'another', { jobId: 'one' });
      await until(() => seen === 2);
    });

    it('replays the oldest first, as if they were new', async () => {
      const scene = await openScene();
      const queue = await scene.open({ max_attempts: 2 });
      let useless = true;
      const seen: string[] = [];
      queue.process(
        'q',
        async ({ data, attempt }) => {
          if (useless) throw new Error('useless');
          seen.push(`${data} ${attempt}`);
        },
        { concurrency: 1 },
      );
      for (const data of ['a', 'b', 'c']) {
        await queue.enqueue('q', data);
        await until(async () => dataOf(await queue.listDeadLetters('q', 10)).includes(data));
      }
      useless = false;
      expect(await queue.replayDeadLetters('q', 2)).toBe(2);
      await until(() => seen.length === 2);
      expect(seen).toEqual(['a 1', 'b 1']);
      expect(dataOf(await queue.listDeadLetters('q', 10))).toEqual(['c']);
      expect(await queue.replayDeadLetters('q', 1000)).toBe(1);
      expect(await queue.replayDeadLetters('q', 1000)).toBe(0);
      await until(async () => (await queue.stats('q')).completed === 3);
    });

    it('replays a job that then dies again, attempt by attempt', async () => {
      const queue = await (await openScene()).open({ max_attempts: 2 });
      const attempts: number[] = [];
      queue.process('q', async ({ attempt }) => {
        attempts.push(attempt);
        throw new Error('never');
      });
      await queue.enqueue('q', 'x');
      await until(async () => (await queue.stats('q')).deadLetter === 1);
      await queue.replayDeadLetters('q', 1);
      await until(() => attempts.length === 4);
      expect(attempts).toEqual([1, 2, 1, 2]);
    });

    it('removes what is named, and nothing else', async () => {
      const queue = await (await openScene()).open();
      await bury(queue, ['a', 'b', 'c']);
      const [first, second] = await queue.listDeadLetters('q', 2);
      const ids = [first?.id ?? '', 'unknown', second?.id ?? ''];
      expect(await queue.removeDeadLetters('q', ids)).toBe(2);
      expect(await queue.removeDeadLetters('q', ids)).toBe(0);
      expect(dataOf(await queue.listDeadLetters('q', 10))).toEqual(['c']);
    });

    it('does not remove a job that is not dead', async () => {
      const queue = await (await openScene()).open();
      const id = await queue.enqueue('q', 'alive');
      expect(await queue.removeDeadLetters('q', [id])).toBe(0);
      const jobs = collect(queue, 'q');
      await until(() => jobs.length === 1);
    });
  });
}
