import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Claim, PushStore, StoredDevice } from '../src/index.js';
import { admission, claim, device, NOW, publish } from './samples.js';
import type { Scene } from './scene.js';

/** Requirements of expiring rows of every driver. Each test uses ids of its own. */
export function upkeepConformance(name: string, open: () => Promise<Scene>): void {
  describe(`${name}: what every store promises of what is kept for a while`, () => {
    let scene: Scene;
    let store: PushStore;
    beforeAll(async () => {
      scene = await open();
      ({ store } = scene);
    });
    afterAll(() => scene.close());

    const register = (one: StoredDevice) => store.changeDevice(one.appId, one.deviceId, () => one);

    it('gives a lock to one owner at a time', async () => {
      const lock = (owner: string, nowMs: number) => store.lock('shop', 'l', owner, nowMs, nowMs + 30);
      const got = await Promise.all(['a', 'b', 'c'].map((owner) => lock(owner, NOW)));
      expect(got.filter(Boolean)).toHaveLength(1);
      const owner = ['a', 'b', 'c'][got.indexOf(true)] ?? '';
      expect(await lock(owner, NOW + 10)).toBe(true);
      expect(await lock('d', NOW + 39)).toBe(false);
      expect(await lock('d', NOW + 40)).toBe(true);
      await store.unlock('shop', 'l', owner);
      expect(await lock('e', NOW + 41)).toBe(false);
      await store.unlock('shop', 'l', 'd');
      expect(await lock('e', NOW + 41)).toBe(true);
    });

    it('keeps one value of an installation when several processes propose one', async () => {
      expect(await store.installationValue('once', null)).toBeNull();
      const proposed = ['a', 'b', 'c'];
      const got = await Promise.all(proposed.map((value) => store.installationValue('once', value)));
      expect(new Set(got).size).toBe(1);
      expect(proposed).toContain(got[0]);
      expect(await store.installationValue('once', null)).toBe(got[0]);
      expect(await store.installationValue('another', null)).toBeNull();
    });

    it('remembers a key until its time is over', async () => {
      expect(await store.remember('shop', 'retry:1', NOW, NOW + 10)).toBe(true);
      expect(await store.remember('shop', 'retry:1', NOW + 9, NOW + 20)).toBe(false);
      expect(await store.remember('shop', 'retry:1', NOW + 10, NOW + 20)).toBe(true);
      const all = async (keys: string[], nowMs: number) =>
        [...(await store.rememberAll('shop', keys, nowMs, nowMs + 10))].toSorted();
      expect(await all(['retry:1', 'retry:2', 'retry:3', 'retry:2'], NOW + 15)).toEqual([
        'retry:2',
        'retry:3',
      ]);
      expect(await all(['retry:1', 'retry:2'], NOW + 20)).toEqual(['retry:1']);
      expect(await all([], NOW)).toEqual([]);
    });

    it('never gives out more than a quota', async () => {
      const use = () => store.useQuota('quota', '2026-09-21', 4, 10);
      const got = await Promise.all([use(), use(), use()]);
      expect(got.filter(Boolean)).toHaveLength(2);
      expect(await store.quotaUsed('quota', '2026-09-21')).toBe(8);
      await store.useQuota('quota', '2026-09-21', -4, 10);
      expect(await use()).toBe(true);
      expect(await store.quotaUsed('quota', '2026-09-22')).toBe(0);
    });

    it('finds what was forgotten, and removes what is old, so many at a time', async () => {
      const old = NOW - 1_000_000;
      for (const id of ['o1', 'o2', 'o3']) {
        await store.admit({ ...admission(id), publish: publish(id, { state: 'succeeded', updatedMs: old }) });
        await store.plan('shop', id, [claim(id, `k of ${id}`, { updatedMs: old, state: 'done' })]);
      }
      await store.admit({ ...admission('o4'), publish: publish('o4', { updatedMs: old }) });
      await store.plan('shop', 'o4', [claim('o4', 'k', { updatedMs: old })]);
      await store.admit({
        ...admission('o5'),
        publish: publish('o5', { state: 'planning', updatedMs: old + 1 }),
      });
      const begun = { o6: 'dispatching', o7: 'throttled' } as const;
      for (const [id, state] of Object.entries(begun)) {
        await store.admit({ ...admission(id), publish: publish(id, { state, updatedMs: old + 2 }) });
      }
      const planned = publish('o8', { state: 'dispatching', planningComplete: true, updatedMs: old + 3 });
      await store.admit({ ...admission('o8'), publish: planned });
      const forgotten = async (planning: 'begun' | 'queued') =>
        (await store.forgottenPublishes(planning, NOW - 1, NOW, 10)).map((one) => one.publishId).toSorted();
      expect([await forgotten('queued'), await forgotten('begun')]).toEqual([['o4'], ['o5', 'o6', 'o7']]);
      const stale = await store.stalePublishes(NOW - 1, 10);
      expect(stale.map((one) => one.publishId).toSorted()).toEqual(['o4', 'o5', 'o6', 'o7', 'o8']);
      const idle: readonly Partial<Claim>[] = [
        { state: 'sending', leaseUntilMs: NOW - 2 },
        { state: 'sending', leaseUntilMs: NOW },
        { state: 'retry', leaseUntilMs: NOW - 2 },
        { state: 'retry', leaseUntilMs: NOW },
        { state: 'retry', leaseUntilMs: null },
      ];
      const claims = idle.map((more, index) => claim('o8', `k${index}`, { ...more, updatedMs: old }));
      await store.plan('shop', 'o8', [...claims, claim('o8', 'fresh', { updatedMs: NOW })]);
      const found = await store.forgottenClaims({ untouchedMs: NOW - 1, freeMs: NOW - 1 }, 10);
      expect(found.map((one) => `${one.publishId} ${one.deliveryKey}`).toSorted()).toEqual([
        'o4 k',
        'o8 k0',
        'o8 k2',
        'o8 k4',
      ]);
      expect(await store.forgottenClaims({ untouchedMs: NOW - 1, freeMs: NOW - 1 }, 2)).toHaveLength(2);
      await store.touchClaims('shop', 'o8', ['k0', 'k2', 'k4'], NOW);
      expect(await store.forgottenClaims({ untouchedMs: NOW - 1, freeMs: NOW - 1 }, 10)).toHaveLength(1);
      expect(await store.purge('publishes', NOW - 1, 2)).toBe(2);
      expect(await store.purge('publishes', NOW - 1, 2)).toBe(1);
      expect(await store.countClaims('shop', 'o1')).toBe(0);
      await register(device('stale', { state: 'FAILED', lastActiveMs: old }));
      await register(device('quiet', { lastActiveMs: old }));
      await register(device('failed', { appId: 'other', state: 'FAILED' }));
      const counted = (await store.countDevices()).filter(({ state }) => state === 'FAILED');
      expect(counted).toEqual([
        { appId: 'other', state: 'FAILED', count: 1 },
        { appId: 'shop', state: 'FAILED', count: expect.toSatisfy((count) => count >= 1) },
      ]);
      expect((await store.removeStaleDevices(NOW - 1, 10)).get('shop')).toBe(1);
      expect(await store.removeStaleDevices(NOW - 1, 10)).toEqual(new Map());
      expect(await store.device('shop', 'quiet')).not.toBeNull();
    });

    it('counts jobs that wait for their time', async () => {
      const before = await store.countJobs(NOW, 100);
      await store.admit({ ...admission('due'), dueMs: NOW });
      await store.admit({ ...admission('waits'), dueMs: NOW + 1 });
      const after = await store.countJobs(NOW, 100);
      expect([after.due - before.due, after.waiting - before.waiting]).toEqual([1, 1]);
      expect(await store.countJobs(NOW, 1)).toEqual({ due: 1, waiting: 1 });
    });

    it('keeps items until their time', async () => {
      const item = { id: 'i', queue: 'q', dueMs: NOW, envelope: 'e' };
      await store.putDeferred([item, item]);
      expect(await store.dueDeferred(NOW - 1, 10)).toEqual([]);
      expect(await store.dueDeferred(NOW, 10)).toEqual([item]);
      await store.removeDeferred(['i']);
      expect(await store.dueDeferred(NOW, 10)).toEqual([]);
    });
  });
}
