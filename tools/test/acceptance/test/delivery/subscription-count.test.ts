import { expect, it } from 'vitest';
import type { Client } from '../harness/client.js';
import { onServerAtOnce } from '../harness/every-app.js';
import { subscriptionCount } from '../harness/frames.js';
import { openTenant, tenant } from '../harness/tenant.js';

const shop = openTenant('shop', { features: { enable_subscription_count_events: true } });
const quiet = tenant('quiet');

/** Reads counts until the one that is waited for; resolves with how many came. */
async function countsUntil(client: Client, channel: string, last: number): Promise<number> {
  for (let frames = 1; ; frames += 1) {
    const text = await client.nextText();
    if (text === subscriptionCount(channel, last)) return frames;
    expect(text).toContain('{"event":"pusher_internal:subscription_count"');
  }
}

onServerAtOnce('the count of a channel', { tenants: [shop, quiet] }, (node) => {
  it.each(['orders', 'private-encrypted-orders'])(
    'is told to all its subscribers after it changes, the last value at the latest a second later',
    async (channel) => {
      const [first, second] = [await node.connect(), await node.connect()];
      await first.subscribe(channel);
      await countsUntil(first, channel, 1);
      await second.subscribe(channel);
      await countsUntil(first, channel, 2);
      await countsUntil(second, channel, 2);
      await second.close();
      await countsUntil(first, channel, 1);
    },
  );

  it('is told once a second at most, however often it changes', async () => {
    const began = Date.now();
    const watcher = await node.connect();
    await watcher.subscribe('busy');
    const others = await Promise.all(Array.from({ length: 30 }, () => node.connect()));
    for (const other of others) await other.subscribe('busy');
    const frames = await countsUntil(watcher, 'busy', 31);
    expect(frames).toBeLessThanOrEqual(2 + (Date.now() - began) / 1000);
    expect(await watcher.pending()).toEqual([]);
  });

  it('is not told on presence channels', async () => {
    const [ada, bo] = [await node.connect(), await node.connect()];
    await ada.join('presence-lobby', 'ada');
    await bo.join('presence-lobby', 'bo');
    await bo.subscribe('marker');
    await countsUntil(bo, 'marker', 1);
    expect((await ada.pending()).filter((text) => text.includes('subscription_count'))).toEqual([]);
  });

  it('is not told in an app that did not ask for it', async () => {
    const [first, second] = [await node.connect(quiet), await node.connect(quiet)];
    await first.subscribe('orders');
    await second.subscribe('orders');
    expect(await first.pending()).toEqual([]);
  });
});
