import { describe, expect, it } from 'vitest';
import { overPlaces } from './work.js';

overPlaces((sceneWith) => {
  describe('an item that no queue could keep', () => {
    it('is put into its queue by one process at a time', async () => {
      const scene = await sceneWith({ SERVICE_WORKERS_PUSH_STAGES: 'scheduler' });
      const lock = scene.store.lock.bind(scene.store);
      const refusals: string[] = [];
      scene.store.lock = async (appId, lockId, ...rest) => {
        const isTaken = await lock(appId, lockId, ...rest);
        if (!isTaken) refusals.push(lockId);
        return isTaken;
      };
      const [untilMs, item] = [
        Date.now() + 600_000,
        { id: 'waits', queue: 'push.publish.v1', envelope: 'x' },
      ];
      expect(await lock('', 'deferred items', 'elsewhere', Date.now(), untilMs)).toBe(true);
      await scene.store.putDeferred([{ ...item, dueMs: 1 }]);
      await expect.poll(() => refusals, { timeout: 10_000 }).toContain('deferred items');
      expect(await scene.store.dueDeferred(Date.now(), 10)).toHaveLength(1);
      await scene.store.unlock('', 'deferred items', 'elsewhere');
      await expect.poll(() => scene.store.dueDeferred(Date.now(), 10), { timeout: 10_000 }).toEqual([]);
    });
  });
});
