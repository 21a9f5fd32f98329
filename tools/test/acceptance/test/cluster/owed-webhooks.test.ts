import { expect, it } from 'vitest';
import type { Client } from '../harness/client.js';
import { BRIEF_LIVES, type Cluster, NODE_TIMEOUT_MS, onCluster } from '../harness/cluster.js';
import { eventually } from '../harness/eventually.js';
import { subset } from '../harness/subset.js';
import { eventLine, useTenantReceiver } from '../webhooks/tenant-receiver.js';

const EVENT_TYPES = ['channel_occupied', 'channel_vacated', 'member_added', 'member_removed'];
const SETTLE_MS = 3000;
const CLEANUP_MS = 5000;
const LONG = { timeout: 120_000 };
const [MEMBERS, CHANNELS] = [20, 10];
const LOBBY = 'presence-lobby';

const { receiver, tenants } = useTenantReceiver(EVENT_TYPES);
/** Without those of the member who only keeps the channel occupied. */
const received = (): string[] =>
  receiver.events
    .map(eventLine)
    .filter((one) => !one.endsWith(' stays'))
    .sort();

const users = Array.from({ length: MEMBERS }, (_, n) => `u${n}`);
const channels = Array.from({ length: CHANNELS }, (_, n) => `orders-${n}`);
const departures = [
  ...users.map((user) => `member_removed ${LOBBY} ${user}`),
  ...channels.map((channel) => `channel_vacated ${channel}`),
].sort();

/** Connections of members and subscribers to one gateway, whose arrivals were notified. */
async function crowd(cluster: Cluster, index: 0 | 1): Promise<readonly Client[]> {
  const connect = () => cluster.connect(index);
  const [members, subscribers] = await Promise.all([
    Promise.all(users.map(connect)),
    Promise.all(channels.map(connect)),
  ]);
  await Promise.all(members.map((client, at) => client.join(LOBBY, users[at] ?? '')));
  await Promise.all(subscribers.map((client, at) => client.subscribe(channels[at] ?? '')));
  const arrivals = MEMBERS + CHANNELS;
  await eventually(() =>
    expect(received().filter((one) => one !== `channel_occupied ${LOBBY}`)).toHaveLength(arrivals),
  );
  receiver.events.splice(0);
  return [...members, ...subscribers];
}

const settled = (): Promise<void> =>
  eventually(() => expect(received()).toEqual(departures), NODE_TIMEOUT_MS + CLEANUP_MS + SETTLE_MS + 10_000);
const sleep = (ms: number) => new Promise<void>((later) => void setTimeout(later, ms));

/** Nothing is repeated once everything was sent. */
async function remains(): Promise<void> {
  await sleep(SETTLE_MS + CLEANUP_MS);
  expect(received()).toEqual(departures);
}

onCluster(
  'webhooks of departures',
  subset(['nats', 'redis-cluster', 'redis-sentinel'] as const, 1),
  { tenants, more: ['webhook-worker'], env: BRIEF_LIVES },
  (cluster) => {
    it('are sent once by another gateway when theirs is killed within the settle time', LONG, async () => {
      const stays = await cluster.connect(0);
      await stays.join(LOBBY, 'stays');
      const clients = await crowd(cluster, 1);
      await Promise.all(clients.map((client) => client.close()));
      await sleep(1000);
      expect(received()).toEqual([]);
      await cluster.gateway(1).process.kill('SIGKILL');
      await settled();
      await remains();
    });

    it('are sent once by the gateway that is started after the only one was killed', LONG, async () => {
      const clients = await crowd(cluster, 0);
      await Promise.all(clients.map((client) => client.close()));
      await sleep(1000);
      await cluster.gateway(0).process.kill('SIGKILL');
      expect(cluster.gateways).toHaveLength(0);
      await cluster.add('gateway');
      const expected = [...departures, `channel_vacated ${LOBBY}`].sort();
      await eventually(
        () => expect(received()).toEqual(expected),
        NODE_TIMEOUT_MS + CLEANUP_MS + SETTLE_MS + 10_000,
      );
      await sleep(SETTLE_MS + CLEANUP_MS);
      expect(received()).toEqual(expected);
    });
  },
);
