import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ClaimStep, PushStore } from '../src/index.js';
import { admission, claim, NOW, publish, shard } from './samples.js';
import type { Scene } from './scene.js';

const DEAD_LETTER = {
  appId: 'shop',
  deadLetterId: 'd1',
  publishId: '',
  provider: 'fcm',
  stage: 'retry_schedule',
  itemKey: 'k',
  reason: 'r',
  occurredMs: NOW,
  item: '{}',
  replayedMs: null,
  replayCount: 0,
};

/** Requirements of deliveries of every driver. Each test uses ids of its own. */
export function deliveriesConformance(name: string, open: () => Promise<Scene>): void {
  describe(`${name}: what every store promises of deliveries`, () => {
    let scene: Scene;
    let store: PushStore;
    beforeAll(async () => {
      scene = await open();
      ({ store } = scene);
    });
    afterAll(() => scene.close());

    it('gives a delivery out once, and again when its lease is over', async () => {
      await store.admit(admission('claims'));
      const claims = ['k1', 'k2'].map((key) => claim('claims', key));
      expect(await store.plan('shop', 'claims', claims)).toEqual(new Set(['k1', 'k2']));
      const take = (owner: string, nowMs: number, attempt = 1, lapsedMs = nowMs) =>
        store.takeForSending(
          'shop',
          'claims',
          ['k1', 'k2', 'k3'].map((deliveryKey) => ({ deliveryKey, attempt })),
          { owner, nowMs, untilMs: nowMs + 60_000, lapsedMs },
        );
      const taken = await Promise.all(['a', 'b', 'c'].map((owner) => take(owner, NOW)));
      expect(taken.flatMap((keys) => [...keys]).toSorted()).toEqual(['k1', 'k2']);
      expect(await take('d', NOW + 59_000)).toEqual(new Set());
      const isBeingSent = (nowMs: number, attempt = 1) =>
        store.isBeingSent('shop', 'claims', [{ deliveryKey: 'k1', attempt }], nowMs);
      expect(await isBeingSent(NOW + 59_999)).toBe(true);
      expect(await isBeingSent(NOW + 59_999, 2)).toBe(false);
      expect(await isBeingSent(NOW + 60_000)).toBe(false);
      expect(await take('d', NOW + 60_000, 2)).toEqual(new Set());
      expect(await take('d', NOW + 90_000, 1, NOW + 59_999)).toEqual(new Set());
      expect(await take('d', NOW + 60_000)).toEqual(new Set(['k1', 'k2']));
      expect(await store.plan('shop', 'claims', [...claims, claim('claims', 'k4')])).toEqual(new Set(['k4']));
      expect(await store.countClaims('shop', 'claims')).toBe(3);
      await store.giveBack('shop', 'claims', ['k1', 'k2'], 'd', NOW);
      expect(await isBeingSent(NOW)).toBe(false);
      expect(await take('e', NOW)).toEqual(new Set(['k1', 'k2']));
    });

    it('keeps when a delivery was first taken, until it is begun anew', async () => {
      await store.admit(admission('first'));
      await store.plan('shop', 'first', [claim('first', 'k')]);
      const first = async () => (await store.claim('shop', 'first', 'k'))?.firstAttemptMs;
      const take = (nowMs: number, attempt: number) =>
        store.takeForSending('shop', 'first', [{ deliveryKey: 'k', attempt }], {
          owner: 'o',
          nowMs,
          untilMs: nowMs + 1,
        });
      const goesTo = (to: ClaimStep['to'], attempt: number) =>
        store.changePublish(
          'shop',
          'first',
          [{ deliveryKey: 'k', from: 'sending', attempt, to }],
          () => null,
        );
      expect(await first()).toBeNull();
      await take(NOW, 1);
      await store.giveBack('shop', 'first', ['k'], 'o', NOW);
      // It was not sent.
      expect(await first()).toBeNull();
      await take(NOW + 1, 1);
      await goesTo({ state: 'retry', attempt: 2, dueMs: NOW }, 1);
      await take(NOW + 5, 2);
      await store.giveBack('shop', 'first', ['k'], 'o', NOW);
      await take(NOW + 9, 2);
      expect(await first()).toBe(NOW + 1);
      await goesTo({ state: 'done', outcome: 'rejected' }, 2);
      expect((await store.claimsLike('shop', 'first', { provider: 'fcm' }, 1))[0]).toMatchObject({
        firstAttemptMs: NOW + 1,
      });
      const letter = {
        ...DEAD_LETTER,
        publishId: 'first',
        deadLetterId: 'first',
        occurredMs: NOW - 1,
      };
      await store.putDeadLetter(letter);
      await store.replay(letter, 'k', NOW + 10, (there) => there);
      expect(await first()).toBeNull();
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
            {
              deliveryKey: 'k2',
              from: 'sending',
              attempt: 1,
              to: { state: 'retry', attempt: 2, dueMs: NOW + 5 },
            },
            {
              deliveryKey: 'unknown',
              from: 'open',
              attempt: 1,
              to: { state: 'retry', attempt: 2, dueMs: NOW + 5 },
            },
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
      const states = answers[2]?.map(({ state, attempt, outcome, leaseUntilMs }) => [
        state,
        attempt,
        outcome,
        leaseUntilMs,
      ]);
      expect(states?.toSorted()).toEqual([
        ['done', 1, 'accepted', null],
        ['retry', 2, null, NOW + 5],
      ]);
      expect(await store.claim('shop', 'counting', 'k2')).toMatchObject({ leaseUntilMs: NOW + 5 });
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
        to: { state: 'retry', attempt: 2, dueMs: NOW },
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
      expect(await store.cancelJob('shop', 'later', NOW)).toBe('absent');
      expect(await store.dueJobs(NOW + 1000, 1000)).not.toContainEqual(
        expect.objectContaining({ jobId: 'later' }),
      );
      await store.admit({ ...admission('begun'), publish: publish('begun', { state: 'planning' }) });
      expect(await store.cancelJob('shop', 'begun', NOW)).toBe('dispatched');
      expect(await store.cancelJob('shop', 'nothing', NOW)).toBe('absent');
    });

    it('finds deliveries by their device or their batch, open ones first', async () => {
      await store.admit(admission('like'));
      const done = { state: 'done', outcome: 'accepted', deviceId: 'd1' } as const;
      await store.plan('shop', 'like', [
        claim('like', 'k1', { ...done, batchId: 'b1' }),
        claim('like', 'k2', { deviceId: 'd1', batchId: 'b2' }),
        claim('like', 'k3', { deviceId: null, batchId: 'b2', provider: 'hms' }),
      ]);
      const like = async (which: Parameters<PushStore['claimsLike']>[2], limit = 10) =>
        (await store.claimsLike('shop', 'like', which, limit)).map(({ deliveryKey }) => deliveryKey);
      expect(await like({ provider: 'fcm' })).toEqual(['k2', 'k1']);
      expect(await like({ provider: 'fcm', deviceId: 'd1' }, 1)).toEqual(['k2']);
      expect(await like({ provider: 'fcm', batchId: 'b1' })).toEqual(['k1']);
      expect(await like({ provider: 'hms' })).toEqual(['k3']);
      expect(await like({ provider: 'hms', deviceId: 'd1' })).toEqual([]);
      const event = { appId: 'shop', publishId: 'like', eventId: 'e', occurredMs: NOW, provider: 'fcm' };
      expect(await store.hasEvent('shop', 'like', 'e')).toBe(false);
      await store.putEvent({ ...event, outcome: 'accepted', result: '{}' });
      expect(await store.hasEvent('shop', 'like', 'e')).toBe(true);
    });

    it('lists the shards that are not complete, by id', async () => {
      await store.putShards(['s2', 's1', 's3'].map((id) => shard('shards', id)));
      await store.putShards([{ ...shard('shards', 's1'), chain: 7 }]);
      const open = async (after: string | null, limit: number) =>
        (await store.openShards('shop', 'shards', after, limit)).map((one) => `${one.shardId}-c${one.chain}`);
      expect(await open(null, 10)).toEqual(['s1-c0', 's2-c0', 's3-c0']);
      await store.changeShard({ ...shard('shards', 's1'), status: 'complete' });
      await store.changeShard({ ...shard('shards', 's2'), chain: 1 });
      expect(await open(null, 1)).toEqual(['s2-c1']);
      expect(await open('s2', 10)).toEqual(['s3-c0']);
      expect(await store.openShards('shop', 'other', null, 10)).toEqual([]);
    });

    it('replays a dead letter once', async () => {
      await store.admit(admission('dead'));
      await store.plan('shop', 'dead', [
        claim('dead', 'k', { state: 'done', attempt: 5, outcome: 'rejected' }),
      ]);
      const row = { ...DEAD_LETTER, publishId: 'dead' };
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
  });
}
