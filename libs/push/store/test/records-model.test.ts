import * as fc from 'fast-check';
import { it } from 'vitest';
import type { Claim, PushStore } from '../src/index.js';
import { compareStores, MOST, pages, type Step } from './model.js';
import { admission, claim, NOW, publish, shard } from './samples.js';

const IDS = ['a', 'b', 'c', 'd'] as const;
const id = fc.constantFrom(...IDS);
const time = fc.integer({ min: 0, max: 9 }).map((steps) => NOW + steps * 60_000);

const key = fc.constantFrom('k1', 'k2', 'k3');
const keys = fc.uniqueArray(key, { maxLength: 3 });
const owner = fc.constantFrom('o1', 'o2');

const publishStep: fc.Arbitrary<Step> = fc.oneof(
  fc
    .tuple(id, time, fc.constantFrom(null, NOW + 120_000), fc.constantFrom('queued', 'planning', 'succeeded'))
    .map(([publishId, nowMs, dueMs, state]): Step => (store) => {
      const given = admission(publishId);
      return store.admit({
        ...given,
        publish: publish(publishId, { state, createdMs: nowMs, updatedMs: nowMs }),
        log: given.log === null ? null : { ...given.log, notBeforeMs: dueMs },
        idempotency: [{ key: `of ${publishId}`, publishId, bodyHash: null, expiresMs: nowMs + 60_000 }],
        dueMs,
      });
    }),
  fc.tuple(id, keys, time).map(([publishId, some, updatedMs]): Step => async (store) => {
    // Without a publish nothing is planned.
    if ((await store.publish('shop', publishId)) === null) return [];
    const claims = some.map((one) => claim(publishId, one, { updatedMs }));
    return [...(await store.plan('shop', publishId, claims))].toSorted();
  }),
  fc
    .tuple(id, keys, owner, time, fc.integer({ min: 1, max: 2 }))
    .map(([publishId, some, by, nowMs, attempt]): Step => async (store) => {
      const jobs = some.map((deliveryKey) => ({ deliveryKey, attempt }));
      const lease = { owner: by, nowMs, untilMs: nowMs + 60_000 };
      return [...(await store.takeForSending('shop', publishId, jobs, lease))].toSorted();
    }),
  fc.tuple(id, keys, owner, time).map(
    ([publishId, some, by, nowMs]): Step =>
      (store) =>
        store.giveBack('shop', publishId, some, by, nowMs),
  ),
  fc.tuple(id, keys, time).map(
    ([publishId, some, nowMs]): Step =>
      (store) =>
        store.touchClaims('shop', publishId, some, nowMs),
  ),
  fc
    .tuple(id, keys, time, fc.boolean(), fc.constantFrom('dispatching', 'succeeded', 'failed'), fc.boolean())
    .map(
      ([publishId, some, updatedMs, isDone, state, isFirst]): Step =>
        (store) =>
          store.changePublish(
            'shop',
            publishId,
            some.map((deliveryKey) => ({
              deliveryKey,
              from: 'open',
              attempt: 1,
              to: isDone
                ? { state: 'done', outcome: 'accepted' }
                : { state: 'retry', attempt: 2, dueMs: updatedMs + 180_000 },
            })),
            (there, taken) => ({
              publish: { ...there, state, updatedMs },
              events: [...taken].map((one) => ({
                appId: 'shop',
                publishId,
                eventId: `e${one}`,
                occurredMs: updatedMs,
                provider: 'fcm',
                outcome: isDone ? 'accepted' : 'retryable',
                result: '{}',
              })),
              deadLetters: isFirst
                ? [...taken].map((one) => ({
                    appId: 'shop',
                    deadLetterId: `${publishId}-${one}`,
                    publishId,
                    provider: 'fcm',
                    stage: 's',
                    itemKey: one,
                    reason: 'r',
                    occurredMs: updatedMs,
                    item: '{}',
                    replayedMs: null,
                    replayCount: 0,
                  }))
                : [],
            }),
          ),
    ),
  fc.tuple(id, key, time).map(([publishId, one, nowMs]): Step => async (store) => {
    const row = await store.deadLetter('shop', `${publishId}-${one}`);
    const again = (there: Awaited<ReturnType<typeof publish>>) => ({
      ...there,
      state: 'dispatching' as const,
      updatedMs: nowMs,
    });
    return row === null ? null : store.replay(row, one, nowMs, again);
  }),
  fc.tuple(id, time).map(
    ([publishId, nowMs]): Step =>
      (store) =>
        store.cancelJob('shop', publishId, nowMs),
  ),
  id.map(
    (publishId): Step =>
      (store) =>
        store.withdraw('shop', publishId),
  ),
  id.map(
    (publishId): Step =>
      (store) =>
        store.removeJob('shop', publishId),
  ),
  fc.tuple(id, key).map(
    ([publishId, shardId]): Step =>
      (store) =>
        store.putShards([shard(publishId, shardId)]),
  ),
  fc.tuple(fc.constantFrom('publishes', 'deliveryEvents', 'deadLetters'), time).map(
    ([category, beforeMs]): Step =>
      (store) =>
        store.purge(category, beforeMs, MOST),
  ),
);

const named = ({ publishId, deliveryKey }: Claim): string => `${publishId} ${deliveryKey}`;

const each = async <Result>(read: (publishId: string) => Promise<Result>) => Promise.all(IDS.map(read));
const ids = (rows: readonly { publishId: string }[]) => rows.map(({ publishId }) => publishId).toSorted();

async function publishesOf(store: PushStore) {
  const moments = [NOW + 60_000, NOW + 240_000, NOW + 600_000];
  return {
    publishes: await each((one) => store.publish('shop', one)),
    logs: await each((one) => store.log('shop', one)),
    claims: await each((one) => store.claimsLike('shop', one, { provider: 'fcm' }, MOST)),
    open: await each((one) =>
      pages(
        (after: string | null, limit) => store.openClaims('shop', one, after, limit),
        ({ deliveryKey }: Claim) => deliveryKey,
      ),
    ),
    counts: await each((one) => store.countClaims('shop', one)),
    shards: await each((one) => store.openShards('shop', one, null, MOST)),
    deadLetters: await pages(
      (after: readonly [number, string] | null, limit) => store.deadLetters('shop', {}, after, limit),
      ({ occurredMs, deadLetterId }) => [occurredMs, deadLetterId] as const,
    ),
    waitingLetters: await store.countDeadLetters(MOST),
    events: await store.countEvents('shop', NOW, NOW + 300_000),
    jobs: await store.dueJobs(NOW + 600_000, MOST),
    counted: await store.countJobs(NOW + 60_000, MOST),
    active: await Promise.all(moments.map((nowMs) => store.countActive('shop', nowMs, MOST))),
    queued: await Promise.all(
      moments.map(async (at) => ids(await store.forgottenPublishes('queued', at, at, MOST))),
    ),
    begun: await Promise.all(
      moments.map(async (at) => ids(await store.forgottenPublishes('begun', at, at, MOST))),
    ),
    stale: await Promise.all(moments.map(async (at) => ids(await store.stalePublishes(at, MOST)))),
    forgotten: await Promise.all(
      moments.map(async (at) =>
        (await store.forgottenClaims({ untouchedMs: at, freeMs: at }, MOST)).map(named).toSorted(),
      ),
    ),
  };
}

it('the store over records answers about publishes and deliveries as the store in memory does', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(publishStep, { maxLength: 40, size: 'max' }), (steps) =>
      compareStores(steps, publishesOf),
    ),
    { numRuns: 80 },
  );
}, 120_000);
