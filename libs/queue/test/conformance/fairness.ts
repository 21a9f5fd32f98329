import { describe, expect, it } from 'vitest';
import { defer } from '../../src/index.js';
import { gate, until, type Scene } from '../scene.js';

const BACKLOG = 5000;
const PREFETCH = 8;
/** Jobs of the owner with a backlog that may be handled first: those held already, and one turn. */
const MAX_BEFORE = PREFETCH + 2;

/** Consumption of jobs of several owners, where the store serves owners in turn. */
export function fairnessConformance(name: string, openScene: () => Promise<Scene>): void {
  describe(`${name}: fairness among owners`, () => {
    it('handles the job of an owner within a bounded number of jobs when another owner has a backlog', async () => {
      const queue = await (await openScene()).open();
      expect(queue.capabilities.fairOwners).toBe(true);
      await queue.enqueueBatch('q', backlogOf('churning'));
      const both = gate();
      const handled: string[] = [];
      queue.process(
        'q',
        async ({ data }) => {
          handled.push(data);
          await both.opened;
        },
        { concurrency: 1, prefetch: PREFETCH },
      );
      await until(() => handled.length === 1);
      await queue.enqueue('q', 'quiet', { partitionKey: 'quiet' });
      both.open();
      await until(() => handled.includes('quiet'));
      expect(handled.indexOf('quiet')).toBeLessThanOrEqual(MAX_BEFORE);
    });

    it('alternates between owners and keeps the order of each when both have a backlog', async () => {
      const queue = await (await openScene()).open();
      for (const owner of ['a', 'b']) {
        await queue.enqueueBatch(
          'q',
          Array.from({ length: 50 }, (_, n) => ({ data: `${owner}${n}`, partitionKey: owner })),
        );
      }
      const handled: string[] = [];
      queue.process('q', async ({ data }) => void handled.push(data), { concurrency: 1, prefetch: 1 });
      await until(() => handled.length === 100);
      for (const owner of ['a', 'b']) {
        const own = handled.filter((data) => data.startsWith(owner));
        expect(own).toEqual(Array.from({ length: 50 }, (_, n) => `${owner}${n}`));
      }
      for (let from = 0; from < 100; from += 2) {
        const turn = handled.slice(from, from + 2).map((data) => data.charAt(0));
        expect(turn.toSorted()).toEqual(['a', 'b']);
      }
    });

    it('keeps the owner of a job that is deferred when another owner has a backlog', async () => {
      const queue = await (await openScene()).open();
      const both = gate();
      const handled: string[] = [];
      queue.process(
        'q',
        async ({ data }) => {
          handled.push(data);
          await both.opened;
          return handled.length === 1 ? defer(0) : undefined;
        },
        { concurrency: 1, prefetch: PREFETCH },
      );
      await queue.enqueue('q', 'quiet', { partitionKey: 'quiet' });
      await until(() => handled.length === 1);
      await queue.enqueueBatch('q', backlogOf('churning'));
      both.open();
      await until(() => handled.filter((data) => data === 'quiet').length === 2);
      expect(handled.lastIndexOf('quiet')).toBeLessThanOrEqual(MAX_BEFORE);
    });
  });
}

const backlogOf = (partitionKey: string) =>
  Array.from({ length: BACKLOG }, (_, n) => ({ data: `${n}`, partitionKey }));
