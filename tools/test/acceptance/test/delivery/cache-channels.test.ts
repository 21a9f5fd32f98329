import { expect, it } from 'vitest';
import type { Client } from '../harness/client.js';
import { onServer, onServerAtOnce } from '../harness/every-app.js';
import { eventually } from '../harness/eventually.js';
import { cacheMiss, published, succeeded } from '../harness/frames.js';
import { tenant } from '../harness/tenant.js';

const KINDS = [
  'cache-prices',
  'private-cache-prices',
  'private-encrypted-cache-prices',
  'presence-cache-prices',
];

/** Subscribes in whatever way the channel needs, and leaves the frames after the success to be read. */
const enter = (client: Client, channel: string): Promise<string> =>
  channel.startsWith('presence-') ? client.join(channel, 'u-17') : client.subscribe(channel);

onServer('a cache channel', { tenants: [tenant('shop')] }, (node) => {
  it.each(KINDS)('%s answers the success with its last event, or a miss', async (channel) => {
    const [early, late] = [await node.connect(), await node.connect()];
    await enter(early, channel);
    expect(await early.pending()).toEqual([cacheMiss(channel)]);
    await node.api().publish(channel, 'tick', { n: 1 });
    await node.api().publish(channel, 'tock', { n: 2 });
    const [first, last] = [published(channel, 'tick', '{"n":1}'), published(channel, 'tock', '{"n":2}')];
    expect(await early.pending()).toEqual([first, last]);
    await enter(late, channel);
    expect(await late.pending()).toEqual([last]);
    expect(await early.pending()).toEqual([]);
    await enter(late, channel);
    expect(await late.pending()).toEqual([last]);
  });

  it.each(['orders', 'my-cache-x', 'cachex', 'private-orders'])('is not what %s is', async (channel) => {
    await node.api().publish(channel, 'tick', 'x');
    const client = await node.connect();
    expect(await client.subscribe(channel)).toBe(succeeded(channel));
    expect(await client.pending()).toEqual([]);
  });

  it('tells its server what it holds', async () => {
    await node.api().publish('cache-shown', 'tick', { n: 5 });
    const { cache } = (await node.api().channel('cache-shown', 'cache')) as {
      cache: { data: string; ttl: number };
    };
    expect(cache.data).toBe(published('cache-shown', 'tick', '{"n":5}'));
    expect(cache.ttl).toBeGreaterThan(3000);
    expect(cache.ttl).toBeLessThanOrEqual(3600);
  });
});

onServerAtOnce(
  'the last event of a cache channel',
  { tenants: [tenant('shop')], config: { channel_limits: { cache_ttl: 1 } } },
  (node) => {
    it('is forgotten after its time', async () => {
      await node.api().publish('cache-prices', 'tick', 'x');
      const client = await node.connect();
      await eventually(async () => {
        await client.subscribe('cache-prices');
        const answer = await client.nextText();
        expect(answer).toBe(cacheMiss('cache-prices'));
      });
    });
  },
);
