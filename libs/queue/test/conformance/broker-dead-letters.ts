import { REDACTED } from '@carillon/config';
import { describe, expect, it } from 'vitest';
import { deadLetter, type DeadLetter, type Queue } from '../../src/index.js';
import type { BrokerScene } from '../broker-scene.js';
import { collect, until } from '../scene.js';
import { counted } from './settled.js';

/** Makes jobs dead letters, one after the other. */
async function bury(queue: Queue, data: readonly string[]): Promise<void> {
  queue.process('q', async () => deadLetter('of no use'), { concurrency: 1 });
  for (const one of data) {
    await queue.enqueue('q', one);
    await until(async () => dataOf(await queue.listDeadLetters('q', 1000)).includes(one));
  }
}

const dataOf = (letters: readonly DeadLetter[]) => letters.map(({ data }) => data);

/** Failing jobs over a broker that keeps their states. */
export function brokerDeadLetters(name: string, openScene: () => Promise<BrokerScene>): void {
  describe(`${name}: dead letters`, () => {
    it('buries a job after its last attempt without its secrets, and goes on with the others', async () => {
      const { queue, outcomes, ended } = await counted(await openScene(), { max_attempts: 3 });
      queue.process('q', async ({ data }) => {
        if (data === 'poison') throw new Error('token=abcdefgh');
      });
      const enqueued = ['poison', 'a', 'b', 'c'].map((data) => queue.enqueue('q', data));
      await Promise.all(enqueued);
      await ended('dead', 1);
      await ended('ok', 3);
      expect(outcomes.toSorted()).toEqual(['dead', 'ok', 'ok', 'ok', 'retry', 'retry']);
      const letters = await queue.listDeadLetters('q', 10);
      expect(letters).toMatchObject([
        {
          data: 'poison',
          reason: 'attempts-exhausted',
          detail: `processor-error: token=${REDACTED}`,
          attempts: 3,
        },
      ]);
      expect(letters[0]?.failedAtMs).toBeGreaterThanOrEqual(letters[0]?.enqueuedAtMs ?? Infinity);
    });

    it('lists the oldest first and removes what is named', async () => {
      const queue = await (await openScene()).open();
      await bury(queue, ['a', 'b', 'c']);
      expect(await queue.listDeadLetters('q', 2)).toMatchObject([
        { data: 'a', reason: 'of no use', detail: null, attempts: 1 },
        { data: 'b', reason: 'of no use', detail: null, attempts: 1 },
      ]);
      expect(await queue.listDeadLetters('q', 0)).toEqual([]);
      const ids = (await queue.listDeadLetters('q', 2)).map(({ id }) => id);
      expect(await queue.removeDeadLetters('q', [...ids, 'unknown'])).toBe(2);
      expect(await queue.removeDeadLetters('q', ids)).toBe(0);
      expect(dataOf(await queue.listDeadLetters('q', 5000))).toEqual(['c']);
    });

    it('replays the oldest first, as if they were new', async () => {
      const { queue, ended } = await counted(await openScene(), { max_attempts: 2 });
      let isUseless = true;
      const seen: string[] = [];
      queue.process(
        'q',
        async ({ data, attempt }) => {
          if (isUseless) throw new Error('useless');
          seen.push(`${data} ${attempt}`);
        },
        { concurrency: 1 },
      );
      for (const data of ['a', 'b', 'c']) {
        await queue.enqueue('q', data);
        await until(async () => dataOf(await queue.listDeadLetters('q', 10)).includes(data));
      }
      isUseless = false;
      expect(await queue.replayDeadLetters('q', 2)).toBe(2);
      await ended('ok', 2);
      expect(seen).toEqual(['a 1', 'b 1']);
      expect(dataOf(await queue.listDeadLetters('q', 10))).toEqual(['c']);
      expect(await queue.replayDeadLetters('q', 1000)).toBe(1);
      expect(await queue.replayDeadLetters('q', 1000)).toBe(0);
      await ended('ok', 3);
    });

    it('buries what is no job, keeps what it was, and goes on', async () => {
      const scene = await openScene();
      const { queue, outcomes, ended } = await counted(scene);
      await queue.enqueue('q', 'before');
      for (const text of ['no job', 'carillon-job/1 [7]\nx', 'carillon-job/9 ["a",1,0,0]\nx']) {
        await scene.poison('q', text);
      }
      const jobs = collect(queue, 'q');
      await ended('dead', 3);
      await queue.enqueue('q', 'after');
      await ended('ok', 2);
      expect(dataOf(jobs as never).toSorted()).toEqual(['after', 'before']);
      expect(outcomes.toSorted()).toEqual(['dead', 'dead', 'dead', 'ok', 'ok']);
      const letters = await queue.listDeadLetters('q', 10);
      expect(letters.map(({ data, reason }) => `${data} ${reason}`)).toEqual(
        Array.from({ length: 3 }, () => 'null invalid-envelope'),
      );
      // It is the same again, and not lost.
      expect(await queue.replayDeadLetters('q', 1)).toBe(1);
      await ended('dead', 4);
      expect(await queue.listDeadLetters('q', 10)).toHaveLength(3);
    });
  });
}
