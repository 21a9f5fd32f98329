import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLIENT_SCOPE, type PushStore, type StoredDevice } from '../src/index.js';
import { admission, device, NOW, publish, subscription } from './samples.js';
import type { Scene } from './scene.js';

const EVENT = { appId: 'shop', eventId: 'e', subject: 's', occurredMs: NOW };

const key = (publishId: string, expiresMs = NOW + 1000) => ({
  key: 'publish-key:shop:k',
  publishId,
  bodyHash: 'h',
  expiresMs,
});

const withKey = (id: string) => ({
  ...admission(id),
  idempotency: [...admission(id).idempotency, key(id)],
});

/** Requirements of every driver. Each test uses ids of its own. */
export function pushStoreConformance(name: string, open: () => Promise<Scene>): void {
  describe(`${name}: what every store promises`, () => {
    let scene: Scene;
    let store: PushStore;
    beforeAll(async () => {
      scene = await open();
      ({ store } = scene);
    });
    afterAll(() => scene.close());

    const register = (one: StoredDevice) => store.changeDevice(one.appId, one.deviceId, () => one);

    it('keeps a device as it was given, and changes it in one step', async () => {
      const given = device('kept', {
        metadata: '{"b":1,"a":[2]}',
        clientId: 'Ünï',
        errorReason: 'x',
        rateCapacity: 5,
      });
      await register(given);
      expect(await store.device('shop', 'kept')).toEqual(given);
      expect(await store.device('other', 'kept')).toBeNull();
      const counted = Array.from({ length: 5 }, () =>
        store.changeDevice('shop', 'kept', (there) =>
          there === null ? null : { ...there, failureCount: there.failureCount + 1 },
        ),
      );
      await Promise.all(counted);
      expect(await store.device('shop', 'kept')).toMatchObject({ failureCount: 5 });
      await expect(
        store.changeDevice('shop', 'kept', () => {
          throw new RangeError('no');
        }),
      ).rejects.toThrow(RangeError);
    });

    it('touches devices that still have the token, and heals those that were failing', async () => {
      const failing = { state: 'FAILING', failureCount: 2, errorReason: 'x' } as const;
      await register(device('t-old', { lastActiveMs: 5 }));
      await register(device('t-recent', { lastActiveMs: 50 }));
      await register(device('t-failing', { lastActiveMs: 50, ...failing }));
      await register(device('t-failed', { lastActiveMs: 5, state: 'FAILED', failureCount: 3 }));
      await register(device('t-moved', { lastActiveMs: 5, tokenHash: 'another', ...failing }));
      const ids = ['t-old', 't-recent', 't-failing', 't-failed', 't-moved', 't-absent'];
      const sent = ids.map((deviceId) => ({ deviceId, tokenHash: `hash of ${deviceId}` }));
      const times = { nowMs: 100, beforeMs: 40 };
      expect([...(await store.touchDevices('shop', sent, times))]).toEqual(['t-failing']);
      expect([...(await store.touchDevices('shop', sent, times))]).toEqual([]);
      expect([...(await store.touchDevices('shop', [], times))]).toEqual([]);
      const found = await store.devicesOf('shop', ids);
      const states = found.map((one) => [one.deviceId, one.lastActiveMs, one.state, one.failureCount]);
      expect(states.toSorted()).toEqual([
        ['t-failed', 100, 'FAILED', 3],
        ['t-failing', 100, 'ACTIVE', 0],
        ['t-moved', 5, 'FAILING', 2],
        ['t-old', 100, 'ACTIVE', 0],
        ['t-recent', 50, 'ACTIVE', 0],
      ]);
    });

    it('lets one of two win who register a device at once', async () => {
      const seen: boolean[] = [];
      const decide = (hash: string) => (there: StoredDevice | null) => {
        seen.push(there === null);
        return there ?? device('raced', { identityHash: hash });
      };
      await Promise.all(['a', 'b', 'c'].map((hash) => store.changeDevice('shop', 'raced', decide(hash))));
      expect(seen).toContain(true);
      expect(await store.devices('shop', { deviceId: 'raced' }, null, 10)).toHaveLength(1);
    });

    it('tells ids apart byte by byte', async () => {
      await Promise.all(
        ['case', 'CASE', 'case ', 'cäse', 'cäse'].map((id) => register(device(id, { clientId: id }))),
      );
      const found = await store.devices('shop', { clientId: 'case' }, null, 10);
      expect(found.map(({ deviceId }) => deviceId)).toEqual(['case']);
    });

    it('pages through channels with colons and common beginnings', async () => {
      const channels = ['a:1', 'a:11', 'a', 'a:1:2', 'b'];
      for (const channel of channels)
        await store.putSubscription(subscription(channel, 'pager', { appId: 'paged' }));
      const seen: string[] = [];
      for (let after: readonly [string, string] | null = null; ;) {
        const [row]: { channel: string; deviceId: string }[] = await store.subscriptions(
          'paged',
          {},
          after,
          1,
        );
        if (row === undefined) break;
        seen.push(row.channel);
        after = [row.channel, row.deviceId];
      }
      expect(seen).toEqual(['a', 'a:1', 'a:11', 'a:1:2', 'b']);
      expect(await store.channels('paged', 'a:1', 2)).toEqual(['a:11', 'a:1:2']);
    });

    it('moves subscriptions along with the token of their device, and removes them with it', async () => {
      await register(device('mover', { clientId: 'moving' }));
      await store.putSubscription(subscription('moves', 'mover'));
      await register(device('mover', { clientId: 'moving', provider: 'apns', tokenHash: 'new' }));
      const [row] = await store.subscriptions('shop', { channel: 'moves' }, null, 10);
      expect(row).toMatchObject({ provider: 'apns', tokenHash: 'new' });
      expect(await store.removeDeadDevice('shop', 'mover', 'old', EVENT)).toBe(false);
      expect(await store.removeDeadDevice('shop', 'mover', 'new', EVENT)).toBe(true);
      expect(await store.device('shop', 'mover')).toBeNull();
      expect(await store.subscriptions('shop', { deviceId: 'mover' }, null, 10)).toEqual([]);
    });

    it('removes devices by filter and says how many', async () => {
      for (const id of ['r1', 'r2', 'r3'])
        await register(device(id, { clientId: id === 'r3' ? 'b' : 'remove' }));
      await store.putSubscription(subscription('removed', 'r1'));
      expect(await store.removeDevices('shop', { clientId: 'remove', deviceId: 'r3' })).toBe(0);
      expect(await store.removeDevices('shop', { clientId: 'remove' })).toBe(2);
      expect(await store.subscriptions('shop', { channel: 'removed' }, null, 10)).toEqual([]);
    });

    it('counts a device once that a channel reaches twice, and failed ones not at all', async () => {
      const client = { clientId: 'counted' };
      await register(device('c1', client));
      await register(device('c2', { ...client, provider: 'apns' }));
      await register(device('c3', { ...client, state: 'FAILED' }));
      await store.putSubscription(subscription('counts', 'c1', client));
      const scope = { provider: null, tokenHash: null, ...client };
      await store.putSubscription(subscription('counts', `${CLIENT_SCOPE}x`, scope));
      expect(await store.countChannel('shop', 'counts', 100)).toEqual(
        new Map([
          ['fcm', 1],
          ['apns', 1],
        ]),
      );
      expect((await store.countClient('shop', 'counted', 100)).get('fcm')).toBe(1);
      const found = await store.subscribers('shop', 'counts', null, 10);
      expect(found.map(({ clientId, device: one }) => [clientId, one?.tokenHash])).toEqual([
        ['counted', undefined],
        [null, 'hash of c1'],
      ]);
    });

    it('takes a credential only in place of the version that was seen', async () => {
      const row = {
        appId: 'shop',
        credentialId: 'fcm',
        provider: 'fcm',
        version: 1,
        openFields: { projectId: 'p' },
        sealedFields: { key: 'sealed' },
        createdMs: NOW,
        updatedMs: NOW,
      };
      const first = await Promise.all([
        store.putCredential(row, null, null),
        store.putCredential(row, null, EVENT),
      ]);
      expect(first.toSorted()).toEqual([false, true]);
      expect(await store.putCredential({ ...row, version: 3 }, 2, null)).toBe(false);
      expect(
        await store.putCredential({ ...row, version: 2, createdMs: 1, updatedMs: NOW + 1 }, 1, null),
      ).toBe(true);
      expect(await store.latestCredential('shop', 'fcm')).toEqual({
        ...row,
        version: 2,
        updatedMs: NOW + 1,
        ...(name === 'memory' ? { createdMs: 1 } : {}),
      });
    });

    it('accepts a publish once, whoever is first', async () => {
      const answers = await Promise.all([1, 2, 3].map(() => store.admit(admission('once'))));
      expect(answers.filter((answer) => answer === null)).toHaveLength(1);
      expect(answers.find((answer) => answer !== null)).toMatchObject({ publishId: 'once', state: 'queued' });
      expect(await store.log('shop', 'once')).toMatchObject({ rendered: '{"fcm":{"message":{}}}' });
    });

    it('finds the publish behind a key that was used', async () => {
      expect(await store.admit(withKey('keyed'))).toBeNull();
      expect(await store.admit(withKey('keyed-too'))).toMatchObject({ publishId: 'keyed' });
      expect(await store.publish('shop', 'keyed-too')).toBeNull();
      const later = { ...withKey('keyed-later'), publish: publish('keyed-later', { createdMs: NOW + 5000 }) };
      expect(await store.admit(later)).toBeNull();
    });

    it('knows the workers that live', async () => {
      const lists = { stages: ['planner'], providers: ['fcm', 'hms'], credentials: ['hms'] };
      await store.beat({ workerId: 'w', ...lists, expiresMs: NOW + 10 });
      expect(await store.workers(NOW)).toEqual([{ workerId: 'w', ...lists, expiresMs: NOW + 10 }]);
      expect(await store.workers(NOW + 10)).toEqual([]);
    });
  });
}
