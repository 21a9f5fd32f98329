import { describe, expect, it } from 'vitest';
import { deadLetter } from '../../src/index.js';
import { collect, gate, sleep, until, type Scene } from '../scene.js';

/** Statistics of a queue. */
export function observationConformance(name: string, openScene: () => Promise<Scene>): void {
  describe(`${name}: observation`, () => {
    it('counts jobs by their state', async () => {
      const queue = await (await openScene()).open();
      expect(await queue.stats('q')).toEqual({
        ready: 0,
        active: 0,
        delayed: 0,
        deadLetter: 0,
        completed: 0,
        oldestReadyAgeMs: null,
        oldestActiveAgeMs: null,
      });
      const end = gate();
      await queue.enqueueBatch('q', [
        { data: 'done' },
        { data: 'dead' },
        { data: 'busy' },
        { data: 'ready' },
        { data: 'ready' },
        { data: 'later', delayMs: 60_000 },
      ]);
      queue.process(
        'q',
        async ({ data }) => {
          if (data === 'dead') return deadLetter('no');
          if (data === 'busy') await end.opened;
          return undefined;
        },
        { concurrency: 1, prefetch: 1 },
      );
      await until(async () => (await queue.stats('q')).active === 1 && (await queue.stats('q')).ready === 2);
      expect(await queue.stats('q')).toMatchObject({
        ready: 2,
        active: 1,
        delayed: 1,
        deadLetter: 1,
        completed: 1,
      });
      await sleep(20);
      const ages = await queue.stats('q');
      expect(ages.oldestReadyAgeMs).toBeGreaterThanOrEqual(15);
      expect(ages.oldestActiveAgeMs).toBeGreaterThanOrEqual(15);
      end.open();
      await until(async () => (await queue.stats('q')).completed === 4);
      expect(await queue.stats('q')).toMatchObject({ oldestReadyAgeMs: null, oldestActiveAgeMs: null });
    });

    it('records what happens to a job', async () => {
      const queue = await (await openScene()).open({ max_attempts: 2 });
      let useless = true;
      queue.process('q', async () => {
        if (useless) throw new Error('useless');
      });
      await queue.enqueue('q', 'x', { jobId: 'one' });
      await until(async () => (await queue.stats('q')).deadLetter === 1);
      useless = false;
      await queue.replayDeadLetters('q', 1);
      await until(async () => (await queue.stats('q')).completed === 1);
      const events = await queue.listEvents('q', 100);
      expect(events.map(({ event }) => event)).toEqual([
        'enqueued',
        'active',
        'retrying',
        'waiting',
        'active',
        'failed',
        'replayed',
        'active',
        'completed',
      ]);
      expect(events.every(({ jobId, timestamp }) => jobId === 'one' && timestamp > 1_700_000_000_000)).toBe(
        true,
      );
      expect((await queue.listEvents('q', 2)).map(({ event }) => event)).toEqual(['active', 'completed']);
      expect(await queue.listEvents('q', 0)).toEqual([]);
    });

    it('bounds what it records', async () => {
      const queue = await (await openScene()).open({ event_retention: 10 });
      for (let round = 0; round < 4; round++) {
        await queue.enqueueBatch(
          'q',
          Array.from({ length: 300 }, () => ({ data: 'x' })),
        );
      }
      expect((await queue.listEvents('q', 1000)).length).toBeLessThan(250);
    });

    it('records nothing when nothing is to be kept', async () => {
      const queue = await (await openScene()).open({ event_retention: 0 });
      const jobs = collect(queue, 'q');
      await queue.enqueue('q', 'x');
      await until(() => jobs.length === 1);
      expect(await queue.listEvents('q', 100)).toEqual([]);
    });
  });
}
