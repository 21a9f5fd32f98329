import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLIENT_SCOPE, type PushStore, type StoredDevice } from '../src/index.js';
import { admission, claim, device, NOW, publish, subscription } from './samples.js';
import type { Scene } from './scene.js';

const EVENT = { appId: 'shop', eventId: 'e', subject: 's', occurredMs: NOW };

/** What every driver must do. Each test has ids of its own. */
export function pushStoreConformance(name: string, open: () => Promise<Scene>): void {
  describe(`${name}: what every store promises`, () => {
    let scene: Scene;
    let store: PushStore;
    beforeAll(async () => {
      scene = await open();
      ({ store } = scene);
    }, 60_000);
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
      expect(await store.admit(withKey('keyed'))).toBeNull();
      expect(await store.admit(withKey('keyed-too'))).toMatchObject({ publishId: 'keyed' });
      expect(await store.publish('shop', 'keyed-too')).toBeNull();
      const later = { ...withKey('keyed-later'), publish: publish('keyed-later', { createdMs: NOW + 5000 }) };
      expect(await store.admit(later)).toBeNull();
    });

    it('gives a delivery out once, and again when its lease is over', async () => {
      await store.admit(admission('claims'));
      const claims = ['k1', 'k2'].map((key) => claim('claims', key));
      expect(await store.plan('shop', 'claims', claims)).toEqual(new Set(['k1', 'k2']));
      const take = (owner: string, nowMs: number, attempt = 1) =>
        store.takeForSending(
          'shop',
          'claims',
          ['k1', 'k2', 'k3'].map((deliveryKey) => ({ deliveryKey, attempt })),
          { owner, nowMs, untilMs: nowMs + 60_000 },
        );
      const taken = await Promise.all(['a', 'b', 'c'].map((owner) => take(owner, NOW)));
      expect(taken.flatMap((keys) => [...keys]).toSorted()).toEqual(['k1', 'k2']);
      expect(await take('d', NOW + 59_000)).toEqual(new Set());
      expect(await take('d', NOW + 60_000, 2)).toEqual(new Set());
      expect(await take('d', NOW + 60_000)).toEqual(new Set(['k1', 'k2']));
      expect(await store.plan('shop', 'claims', [...claims, claim('claims', 'k4')])).toEqual(new Set(['k4']));
      expect(await store.countClaims('shop', 'claims')).toBe(3);
      await store.giveBack('shop', 'claims', ['k1', 'k2'], 'd', NOW);
      expect(await take('e', NOW)).toEqual(new Set(['k1', 'k2']));
    });

    it('moves counters once, however often a result comes', async () => {
      await store.admit(admission('counting'));
      await store.plan('shop', 'counting', [claim('counting', 'k1'), claim('counting', 'k2')]);
      const jobs = ['k1', 'k2'].map((deliveryKey) => ({ deliveryKey, attempt: 1 }));
      await store.takeForSending('shop', 'counting', jobs, { owner: 'o', nowMs: NOW, untilMs: NOW + 1 });
      const result = () =>
        store.changePublish(
          'shop',
          'counting',
          [
            { deliveryKey: 'k1', from: 'sending', attempt: 1, to: { state: 'done', outcome: 'accepted' } },
            { deliveryKey: 'k2', from: 'sending', attempt: 1, to: { state: 'retry', attempt: 2 } },
            { deliveryKey: 'unknown', from: 'open', attempt: 1, to: { state: 'retry', attempt: 2 } },
          ],
          (there, taken) => ({
            publish: {
              ...there,
              counters: { ...there.counters, succeeded: there.counters.succeeded + taken.size },
            },
          }),
        );
      const answers = await Promise.all([result(), result(), result()]);
      expect((await store.publish('shop', 'counting'))?.counters.succeeded).toBe(2);
      const states = answers[2]?.map(({ state, attempt, outcome }) => [state, attempt, outcome]);
      expect(states?.toSorted()).toEqual([
        ['done', 1, 'accepted'],
        ['retry', 2, null],
      ]);
      expect(await store.changePublish('shop', 'none', [], () => null)).toBeNull();
      expect((await store.openClaims('shop', 'counting', null, 10)).map((one) => one.deliveryKey)).toEqual([
        'k2',
      ]);
    });

    it('changes nothing when what follows cannot be decided', async () => {
      await store.admit(admission('undecided'));
      await store.plan('shop', 'undecided', [claim('undecided', 'k')]);
      const step = {
        deliveryKey: 'k',
        from: 'open',
        attempt: 1,
        to: { state: 'retry', attempt: 2 },
      } as const;
      await expect(
        store.changePublish('shop', 'undecided', [step], () => {
          throw new RangeError('no');
        }),
      ).rejects.toThrow(RangeError);
      expect(await store.claim('shop', 'undecided', 'k')).toMatchObject({ state: 'planned', attempt: 1 });
    });

    it('cancels what is queued, and nothing else', async () => {
      await store.admit({ ...admission('later'), dueMs: NOW + 1000 });
      expect(await store.dueJobs(NOW + 999, 10)).not.toContainEqual(
        expect.objectContaining({ jobId: 'later' }),
      );
      expect(await store.dueJobs(NOW + 1000, 1000)).toContainEqual({
        appId: 'shop',
        jobId: 'later',
        dueMs: NOW + 1000,
      });
      expect(await store.cancelJob('shop', 'later', NOW)).toBe('cancelled');
      expect(await store.cancelJob('shop', 'later', NOW)).toBe('cancelled');
      expect(await store.dueJobs(NOW + 1000, 1000)).not.toContainEqual(
        expect.objectContaining({ jobId: 'later' }),
      );
      await store.admit({ ...admission('begun'), publish: publish('begun', { state: 'planning' }) });
      expect(await store.cancelJob('shop', 'begun', NOW)).toBe('dispatched');
      expect(await store.cancelJob('shop', 'nothing', NOW)).toBe('absent');
    });

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

    it('remembers a key until its time is over', async () => {
      expect(await store.remember('shop', 'retry:1', NOW, NOW + 10)).toBe(true);
      expect(await store.remember('shop', 'retry:1', NOW + 9, NOW + 20)).toBe(false);
      expect(await store.remember('shop', 'retry:1', NOW + 10, NOW + 20)).toBe(true);
    });

    it('never gives out more than a quota', async () => {
      const use = () => store.useQuota('quota', '2026-09-21', 4, 10);
      const got = await Promise.all([use(), use(), use()]);
      expect(got.filter(Boolean)).toHaveLength(2);
      await store.useQuota('quota', '2026-09-21', -4, 10);
      expect(await use()).toBe(true);
    });

    it('replays a dead letter once', async () => {
      await store.admit(admission('dead'));
      await store.plan('shop', 'dead', [
        claim('dead', 'k', { state: 'done', attempt: 5, outcome: 'rejected' }),
      ]);
      const row = {
        appId: 'shop',
        deadLetterId: 'd1',
        publishId: 'dead',
        provider: 'fcm',
        stage: 'retry_schedule',
        itemKey: 'k',
        reason: 'r',
        occurredMs: NOW,
        item: '{}',
        replayedMs: null,
        replayCount: 0,
      };
      await store.putDeadLetter(row);
      await store.putDeadLetter({ ...row, reason: 'again' });
      const replay = () => store.replay(row, 'k', NOW, (there) => ({ ...there, state: 'dispatching' }));
      expect((await Promise.all([replay(), replay()])).toSorted()).toEqual([false, true]);
      expect(await store.claim('shop', 'dead', 'k')).toMatchObject({
        state: 'planned',
        attempt: 1,
        outcome: null,
      });
      expect(await store.deadLetter('shop', 'd1')).toMatchObject({
        reason: 'r',
        replayedMs: NOW,
        replayCount: 1,
      });
      expect(
        await store.deadLetters('shop', { provider: 'fcm', sinceMs: NOW, untilMs: NOW }, null, 10),
      ).toHaveLength(1);
      expect(await store.deadLetters('shop', {}, [NOW, 'd1'], 10)).toEqual([]);
    });

    it('finds what was forgotten, and removes what is old, so many at a time', async () => {
      const old = NOW - 1_000_000;
      for (const id of ['o1', 'o2', 'o3']) {
        await store.admit({ ...admission(id), publish: publish(id, { state: 'succeeded', updatedMs: old }) });
        await store.plan('shop', id, [claim(id, `k of ${id}`, { updatedMs: old, state: 'done' })]);
      }
      await store.admit({ ...admission('o4'), publish: publish('o4', { updatedMs: old }) });
      await store.plan('shop', 'o4', [claim('o4', 'k', { updatedMs: old })]);
      expect((await store.forgottenPublishes(NOW - 1, NOW, 10)).map((one) => one.publishId)).toEqual(['o4']);
      expect((await store.stalePublishes(NOW - 1, 10)).map((one) => one.publishId)).toEqual(['o4']);
      expect((await store.forgottenClaims(NOW - 1, 10)).map((one) => one.publishId)).toEqual(['o4']);
      expect(await store.purge('publishes', NOW - 1, 2)).toBe(2);
      expect(await store.purge('publishes', NOW - 1, 2)).toBe(1);
      expect(await store.countClaims('shop', 'o1')).toBe(0);
      await register(device('stale', { state: 'FAILED', lastActiveMs: old }));
      await register(device('quiet', { lastActiveMs: old }));
      expect(await store.purge('staleDevices', NOW - 1, 10)).toBe(1);
      expect(await store.device('shop', 'quiet')).not.toBeNull();
    });

    it('knows the workers that live', async () => {
      await store.beat({ workerId: 'w', stages: ['planner'], providers: ['fcm'], expiresMs: NOW + 10 });
      expect(await store.workers(NOW)).toEqual([
        { workerId: 'w', stages: ['planner'], providers: ['fcm'], expiresMs: NOW + 10 },
      ]);
      expect(await store.workers(NOW + 10)).toEqual([]);
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
