import { describe, expect, it } from 'vitest';
import { done, publish, sceneWith } from './work.js';

describe('shards', () => {
  it.each([
    ['memory', 'memory'],
    ['postgres', 'redis'],
  ] as const)(
    'reach each of many once, over %s and %s (54)',
    async (storage, broker) => {
      const scene = await sceneWith(
        { PUSH_FANOUT_FAST_THRESHOLD: '50', PUSH_FANOUT_SHARD_SIZE: '100' },
        storage,
        broker,
      );
      const { store } = scene;
      const register = async (id: string) => {
        await scene.store.changeDevice('shop', id, () => deviceRow(id));
        await store.putSubscription(subscriptionRow(id));
      };
      const ids = Array.from({ length: 600 }, (_, index) => `d${String(index).padStart(5, '0')}`);
      for (let from = 0; from < ids.length; from += 100)
        await Promise.all(ids.slice(from, from + 100).map(register));
      const answer = await publish(scene, 'p', [{ type: 'channel', channel: 'many' }]);
      expect(answer.body).toMatchObject({ fanoutRegime: 'shardPath', expectedRecipients: 600 });
      const { counters, state } = await scene.until('p', done);
      expect(state).toBe('succeeded');
      expect(counters).toMatchObject({ planned: 600, dispatched: 600, succeeded: 600 });
      const tokens = scene.clouds.arrivals.map(({ target }) => JSON.stringify(target));
      expect(tokens).toHaveLength(600);
      expect(new Set(tokens).size).toBe(600);
    },
    60_000,
  );

  it('are planned again when they are lost: those that nobody began, and those that follow', async () => {
    const scene = await sceneWith({
      PUSH_FANOUT_FAST_THRESHOLD: '50',
      PUSH_FANOUT_SHARD_SIZE: '100',
      PUSH_CHANNEL_SHARD_COUNT: '1',
      PUSH_REPAIR_INTERVAL_SECS: '1',
    });
    const { store, queue } = scene;
    // A shard ends behind a page, which has a thousand.
    const ids = Array.from({ length: 1100 }, (_, index) => `d${String(index).padStart(5, '0')}`);
    for (const id of ids) {
      await store.changeDevice('shop', id, () => deviceRow(id));
      await store.putSubscription(subscriptionRow(id));
    }
    const enqueue = queue.enqueueBatch.bind(queue);
    const lost: string[] = [];
    queue.enqueueBatch = async (into, jobs) => {
      const chain = /"chain":(\d+)/.exec(jobs[0]?.data ?? '')?.[1] ?? '';
      if (into !== 'push.shards.v1' || lost.includes(chain)) return enqueue(into, jobs);
      lost.push(chain);
      return jobs.map(() => 'lost');
    };
    expect((await publish(scene, 'p', [{ type: 'channel', channel: 'many' }])).body).toMatchObject({
      fanoutRegime: 'shardPath',
    });
    await expect
      .poll(
        async () => {
          const updatedMs = Date.now() - 700_000;
          await store.changePublish('shop', 'p', [], (one) => ({
            publish: one.planningComplete ? one : { ...one, updatedMs },
          }));
          return (await scene.send('GET', '/publish/p/status')).body;
        },
        { timeout: 25_000, interval: 200 },
      )
      .toMatchObject({ state: 'succeeded', counters: { planned: 1100, succeeded: 1100 } });
    expect(lost).toEqual(['0', '1']);
    expect(new Set(scene.clouds.arrivals.map(({ target }) => JSON.stringify(target))).size).toBe(1100);
    expect(scene.clouds.arrivals).toHaveLength(1100);
  });
});

const deviceRow = (deviceId: string) => ({
  appId: 'shop',
  deviceId,
  clientId: null,
  formFactor: 'phone',
  platform: 'android',
  metadata: null,
  identityHash: 'hash',
  timezone: 'UTC',
  locale: 'en',
  lastActiveMs: 1,
  state: 'ACTIVE' as const,
  failureCount: 0,
  errorReason: null,
  transport: 'gcm',
  provider: 'fcm',
  tokenHash: `hash of ${deviceId}`,
  recipient: JSON.stringify({ transportType: 'gcm', registrationToken: deviceId }),
  rateCapacity: null,
  rateRefill: null,
  createdMs: 1,
  updatedMs: 1,
});

const subscriptionRow = (deviceId: string) => ({
  appId: 'shop',
  channel: 'many',
  deviceId,
  clientId: null,
  provider: 'fcm',
  tokenHash: `hash of ${deviceId}`,
  credentialVersion: null,
  updatedMs: 1,
});
