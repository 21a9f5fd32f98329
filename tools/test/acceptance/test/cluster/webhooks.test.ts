import { expect, it } from 'vitest';
import { BRIEF_LIVES, NODE_TIMEOUT_MS, onCluster } from '../harness/cluster.js';
import { eventually } from '../harness/eventually.js';
import { eventLine, useTenantReceiver } from '../webhooks/tenant-receiver.js';

const EVENTS = [
  'channel_occupied',
  'channel_vacated',
  'member_added',
  'member_removed',
  'subscription_count',
];
const SETTLE_MS = 3000;
const sleep = (ms: number) => new Promise<void>((later) => void setTimeout(later, ms));

const { receiver, tenants } = useTenantReceiver(EVENTS);
/** What was told, without counts. */
const heard = (): string[] =>
  receiver.events.filter(({ name }) => name !== 'subscription_count').map(eventLine);
const counted = (): number[] =>
  receiver.events
    .filter(({ name }) => name === 'subscription_count')
    .map(({ subscription_count: count }) => Number(count));

onCluster(
  'an app’s own server',
  ['nats'],
  { tenants, more: ['webhook-worker'], env: BRIEF_LIVES },
  (cluster) => {
    it('is told once that a channel is occupied, however many come first on however many gateways', async () => {
      const pairs = await Promise.all(Array.from({ length: 3 }, () => cluster.both()));
      const channels = Array.from({ length: 10 }, (_, index) => `rush-${index}`);
      for (const channel of channels) for (const client of pairs.flat()) client.ask(channel);
      const expected = channels.map((channel) => `channel_occupied ${channel}`).sort();
      await eventually(() => expect(new Set(heard())).toEqual(new Set(expected)));
      await eventually(() => expect(counted()).toHaveLength(channels.length * 6));
      await sleep(300);
      expect(heard().sort()).toEqual(expected);
      expect(Math.max(...counted())).toBe(6);
      for (const client of pairs.flat()) await client.close();
      await eventually(() => expect(heard()).toHaveLength(2 * channels.length));
      expect(heard().sort()).toEqual(
        channels.flatMap((channel) => [`channel_occupied ${channel}`, `channel_vacated ${channel}`]).sort(),
      );
    });

    it('hears nothing of who comes back through another gateway within three seconds', async () => {
      const channel = 'presence-moving';
      let [index, client] = [0, await cluster.connect(0)];
      await client.join(channel, 'u');
      const came = [`channel_occupied ${channel}`, `member_added ${channel} u`];
      await eventually(() => expect(heard().sort()).toEqual(came));
      for (let moves = 0; moves < 4; moves += 1) {
        await client.close();
        // Long enough to be gone everywhere; and gone again when it is asked about the first times.
        await sleep(moves === 0 ? 50 : SETTLE_MS * 0.4);
        index = 1 - index;
        client = await cluster.connect(index === 0 ? 0 : 1);
        await client.join(channel, 'u');
      }
      await sleep(SETTLE_MS + 500);
      expect(heard().sort()).toEqual(came);
      await client.close();
      const went = [`channel_vacated ${channel}`, `member_removed ${channel} u`];
      await eventually(() => expect(heard().sort()).toEqual([...came, ...went].sort()));
    });

    it('is told of who was on a gateway that is killed, once', async () => {
      const client = await cluster.connect(1);
      await client.join('presence-doomed', 'u');
      const came = ['channel_occupied presence-doomed', 'member_added presence-doomed u'];
      await eventually(() => expect(heard().sort()).toEqual(came));
      await cluster.gateway(1).process.kill();
      const went = ['channel_vacated presence-doomed', 'member_removed presence-doomed u'];
      await eventually(
        () => expect(heard().sort()).toEqual([...came, ...went].sort()),
        NODE_TIMEOUT_MS + SETTLE_MS + 5000,
      );
      await sleep(500);
      expect(heard()).toHaveLength(4);
    });
  },
);
