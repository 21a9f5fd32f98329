import * as fc from 'fast-check';
import { it } from 'vitest';
import { CLIENT_SCOPE, type PushStore } from '../src/index.js';
import { compareStores, MOST, pages, type Step } from './model.js';
import { device, NOW, subscription } from './samples.js';

const IDS = ['a', 'b', 'c', 'd'] as const;
const id = fc.constantFrom(...IDS);
const channel = fc.constantFrom('a', 'a:', 'a:1', 'a:11', 'b');
const client = fc.constantFrom(null, 'one', 'two');
const time = fc.integer({ min: 0, max: 9 }).map((steps) => NOW + steps * 60_000);

const resourceStep: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(id, client, fc.constantFrom('ACTIVE', 'FAILING', 'FAILED'), id, time).map(
    ([deviceId, clientId, state, token, lastActiveMs]): Step =>
      (store) =>
        store.changeDevice('shop', deviceId, () =>
          device(deviceId, { clientId, state, tokenHash: token, provider: `p${token}`, lastActiveMs }),
        ),
  ),
  fc.tuple(channel, id).map(([name, deviceId]): Step => async (store) => {
    const own = await store.device('shop', deviceId);
    if (own === null) return;
    const { provider, tokenHash, clientId } = own;
    await store.putSubscription(subscription(name, deviceId, { provider, tokenHash, clientId }));
  }),
  fc.tuple(channel, fc.constantFrom('one', 'two')).map(
    ([name, clientId]): Step =>
      (store) =>
        store.putSubscription(
          subscription(name, `${CLIENT_SCOPE}${clientId}`, { clientId, provider: null, tokenHash: null }),
        ),
  ),
  fc
    .constantFrom<{ clientId?: string; deviceId?: string }>(
      { clientId: 'one' },
      { deviceId: 'a' },
      { clientId: 'two', deviceId: 'b' },
    )
    .map(
      (filter): Step =>
        (store) =>
          store.removeDevices('shop', filter),
    ),
  fc
    .constantFrom<{ channel?: string; deviceId?: string }>(
      { channel: 'a:1' },
      { deviceId: 'c' },
      { channel: 'a', deviceId: 'd' },
    )
    .map(
      (filter): Step =>
        (store) =>
          store.removeSubscriptions('shop', filter),
    ),
  fc.tuple(id, time).map(
    ([token, nowMs]): Step =>
      async (store) =>
        [
          ...(await store.touchDevices(
            'shop',
            IDS.map((deviceId) => ({ deviceId, tokenHash: token })),
            { nowMs, beforeMs: nowMs - 60_000 },
          )),
        ].toSorted(),
  ),
  time.map((beforeMs): Step => async (store) => [...(await store.removeStaleDevices(beforeMs, MOST))]),
);

const sorted = (counts: ReadonlyMap<string, number>) => [...counts].toSorted();

const byPlace = (one: { channel: string; deviceId: string }): readonly [string, string] => [
  one.channel,
  one.deviceId,
];
const byId = ({ deviceId }: { deviceId: string }) => deviceId;

async function resourcesOf(store: PushStore) {
  return {
    devices: await pages((after: string | null, limit) => store.devices('shop', {}, after, limit), byId),
    ofClient: await pages(
      (after: string | null, limit) => store.devices('shop', { clientId: 'one' }, after, limit),
      byId,
    ),
    some: (await store.devicesOf('shop', ['a', 'b', 'x'])).map(byId).toSorted(),
    subscriptions: await pages(
      (after: readonly [string, string] | null, limit) => store.subscriptions('shop', {}, after, limit),
      byPlace,
    ),
    ofChannel: await pages(
      (after: readonly [string, string] | null, limit) =>
        store.subscriptions('shop', { channel: 'a:1' }, after, limit),
      byPlace,
    ),
    ofDevice: await pages(
      (after: readonly [string, string] | null, limit) =>
        store.subscriptions('shop', { deviceId: 'c' }, after, limit),
      byPlace,
    ),
    subscribers: await pages(
      (after: string | null, limit) => store.subscribers('shop', 'a:', after, limit),
      byId,
    ),
    channels: await pages(
      (after: string | null, limit) => store.channels('shop', after, limit),
      (name: string) => name,
    ),
    reached: sorted(await store.countChannel('shop', 'a', MOST)),
    reachedOfClient: sorted(await store.countClient('shop', 'two', MOST)),
    counts: await store.countDevices(),
  };
}

it('the store over records answers about devices and subscriptions as the store in memory does', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(resourceStep, { maxLength: 40, size: 'max' }), (steps) =>
      compareStores(steps, resourcesOf),
    ),
    { numRuns: 40 },
  );
}, 120_000);
