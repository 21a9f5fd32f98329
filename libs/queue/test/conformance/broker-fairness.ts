import { describe, expect, it } from 'vitest';
import type { BrokerScene } from '../broker-scene.js';
import { gate, until } from '../scene.js';

const BACKLOG = 30;

/** Consumption of jobs of several owners, where a broker hands out jobs by age alone. */
export function brokerFairness(name: string, openScene: () => Promise<BrokerScene>): void {
  describe(`${name}: fairness among owners`, () => {
    it('serves owners in turn when a worker holds jobs of several', async () => {
      let claimed = 0;
      const queue = await (await openScene()).open({ onClaimed: (_, jobs) => void (claimed += jobs) });
      expect(queue.capabilities.fairOwners).toBe(false);
      await queue.enqueueBatch('q', [
        ...Array.from({ length: BACKLOG }, (_, n) => ({ data: `${n}`, partitionKey: 'churning' })),
        { data: 'quiet', partitionKey: 'quiet' },
      ]);
      const all = gate();
      const handled: string[] = [];
      queue.process(
        'q',
        async ({ data }) => {
          handled.push(data);
          await all.opened;
        },
        { concurrency: 1, prefetch: 4 * BACKLOG },
      );
      await until(() => claimed > BACKLOG);
      // The observer is notified before the jobs of a claim are in line.
      setImmediate(all.open);
      await until(() => handled.length === BACKLOG + 1);
      expect(handled.indexOf('quiet')).toBeLessThanOrEqual(2);
    });
  });
}
