import { describe, expect, it } from 'vitest';
import { QueueStopped } from '../../src/index.js';
import { collect, gate, until, type Scene } from '../scene.js';

/** Stop of consumption. */
export function stopConformance(name: string, openScene: () => Promise<Scene>): void {
  describe(`${name}: stop`, () => {
    it('lets a running handler finish, and settles its job', async () => {
      const outcomes: string[] = [];
      const queue = await (
        await openScene()
      ).open({
        onSettled: (_, outcome) => outcomes.push(outcome),
      });
      const end = gate();
      let begun = false;
      let aborted = false;
      queue.process('q', async ({ signal }) => {
        begun = true;
        await end.opened;
        aborted = signal.aborted;
      });
      await queue.enqueue('q', 'x');
      await until(() => begun);
      const drained = queue.drain();
      end.open();
      await drained;
      expect(aborted).toBe(false);
      expect(outcomes).toEqual(['ok']);
      expect(await queue.stats('q')).toMatchObject({ ready: 0, active: 0, completed: 1 });
    });

    it('tells a handler that does not end, and gives its job back', async () => {
      const queue = await (await openScene()).open({ shutdown_timeout_ms: 100 });
      let told = false;
      queue.process('q', ({ signal }) => {
        return new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            told = true;
            reject(new Error('told to end'));
          });
        });
      });
      await queue.enqueue('q', 'x');
      await until(async () => (await queue.stats('q')).active === 1);
      await queue.close();
      expect(told).toBe(true);
    });

    it('takes jobs until it is closed, and nothing after', async () => {
      const queue = await (await openScene()).open();
      await queue.drain();
      await queue.enqueue('q', 'while draining');
      expect(() => queue.process('q', async () => {})).toThrow(QueueStopped);
      await queue.close();
      const calls = [
        queue.enqueue('q', 'x'),
        queue.enqueueBatch('q', [{ data: 'x' }]),
        queue.stats('q'),
        queue.listDeadLetters('q', 1),
        queue.replayDeadLetters('q', 1),
        queue.removeDeadLetters('q', ['x']),
        queue.listEvents('q', 1),
        queue.health(),
        queue.connect(),
      ];
      for (const call of calls) await expect(call).rejects.toThrow(new QueueStopped());
      expect(new QueueStopped().message).toBe('queue is shutting down');
    });

    it('may be stopped twice, and before it ever worked', async () => {
      const queue = await (await openScene()).open();
      collect(queue, 'q');
      await Promise.all([queue.close(), queue.drain(), queue.close()]);
      await expect(queue.close()).resolves.toBeUndefined();
    });
  });
}
