import { expect, it } from 'vitest';
import { ClientV2 } from '../harness/client-v2.js';
import { onServer } from '../harness/every-app.js';
import { eventually } from '../harness/eventually.js';
import { expectClosed } from '../harness/refusals.js';
import { openTenant, tenant } from '../harness/tenant.js';

const shop = openTenant('shop');
const bank = openTenant('bank', { channels: { allowed_origins: ['https://bank.example'] } });
const SHOP = { app_id: 'shop' };

onServer('the metrics of sockets', { tenants: [shop, bank, tenant('idle')] }, (node) => {
  /** Every metric that is asked for, once it has the value. */
  const reaches = (name: string, labels: Readonly<Record<string, string>>, value: number) =>
    eventually(async () => expect((await node.metrics()).value(name, labels) ?? 0).toBe(value));

  it('start at 0 for every app', async () => {
    const metrics = await node.metrics();
    for (const name of ['new_connections_total', 'new_disconnections_total', 'ws_messages_sent_total'])
      expect(metrics.value(name, { app_id: 'idle' })).toBe(0);
  });

  it('bear the app and the port, which are bounded, and no name a client chose', async () => {
    const client = await node.connect(shop);
    await client.subscribe('orders-of-somebody');
    expect((await node.metrics()).text).toMatch(/^service_connected\{app_id="shop",port="\d+"\} 1$/m);
    expect((await node.metrics()).text).not.toContain('orders-of-somebody');
    expect((await node.metrics()).text).not.toContain(client.socketId);
  });

  it('count connections as they come and go', async () => {
    await reaches('connected', SHOP, 0);
    const before = await node.metrics();
    const [first, second] = [await node.connect(shop), await node.connect(shop)];
    await node.connect(bank, { headers: { Origin: 'https://bank.example' } });
    expect((await node.metrics()).value('connected', SHOP)).toBe(2);
    await first.close();
    await reaches('connected', SHOP, 1);
    second.vanish();
    await reaches('connected', SHOP, 0);
    const after = await node.metrics();
    const grown = (name: string) => Number(after.value(name, SHOP)) - Number(before.value(name, SHOP));
    expect([grown('new_connections_total'), grown('new_disconnections_total')]).toEqual([2, 2]);
    expect(after.value('new_connections_total', { app_id: 'bank' })).toBe(1);
  });

  it('count frames and their bytes in both directions', async () => {
    const client = await node.connect(shop);
    const before = await node.metrics();
    await client.subscribe('orders');
    await node.api(shop).publish('orders', 'tick', 'x');
    await client.nextText();
    const after = await node.metrics();
    const grown = (name: string) => Number(after.value(name, SHOP)) - Number(before.value(name, SHOP));
    expect(grown('ws_messages_received_total')).toBe(1);
    expect(grown('ws_messages_sent_total')).toBe(2);
    expect(grown('socket_received_bytes')).toBe(
      '{"event":"pusher:subscribe","data":{"channel":"orders"}}'.length,
    );
    expect(grown('socket_transmitted_bytes')).toBe(
      '{"event":"pusher_internal:subscription_succeeded","channel":"orders","data":"{}"}'.length +
        '{"event":"tick","channel":"orders","data":"x"}'.length,
    );
  });

  it.each([
    ['orders', 'public'],
    ['private-orders', 'private'],
    ['private-encrypted-orders', 'private_encrypted'],
    ['cache-orders', 'cache'],
    ['private-cache-orders', 'private_cache'],
    ['private-encrypted-cache-orders', 'private_encrypted_cache'],
    ['presence-orders', 'presence'],
    ['presence-cache-orders', 'presence_cache'],
  ])('count subscriptions to %s as %s', async (channel, channel_type) => {
    const labels = { ...SHOP, channel_type };
    await reaches('active_channels', labels, 0);
    const before = await node.metrics();
    const [first, second] = [await node.connect(shop), await node.connect(shop)];
    for (const client of [first, second]) {
      if (channel.startsWith('presence-')) await client.join(channel, 'u-17');
      else await client.subscribe(channel);
    }
    expect((await node.metrics()).value('active_channels', labels)).toBe(1);
    first.unsubscribe(channel);
    await second.close();
    await reaches('active_channels', labels, 0);
    const after = await node.metrics();
    const grown = (name: string) => Number(after.value(name, labels)) - (before.value(name, labels) ?? 0);
    expect(grown('channel_subscriptions_total')).toBe(2);
    expect(grown('channel_unsubscriptions_total')).toBe(2);
  });

  it('count a refused origin', async () => {
    await expectClosed(await node.socket(bank), 4009, 'Origin not allowed');
    await reaches('connection_errors_total', { app_id: 'bank', error_type: 'origin_not_allowed' }, 1);
  });

  it('time what is published', async () => {
    const client = await node.connect(shop);
    await client.subscribe('timed');
    await node.api(shop).publish('timed', 'tick', 'x');
    const labels = { ...SHOP, channel_type: 'public', recipient_count_bucket: 'xs' };
    expect((await node.metrics()).value('broadcast_latency_ms_count', labels)).toBeGreaterThan(0);
  });
});

const env = {
  TAG_FILTERING_ENABLED: 'true',
  HISTORY_ENABLED: 'true',
  HISTORY_BACKEND: 'memory',
  VERSIONED_MESSAGES_ENABLED: 'true',
};

onServer('the metrics of protocol 2', { tenants: [shop], env }, (node) => {
  it('start at 0, and count what is withheld, what is not kept, and what is shown in its latest version', async () => {
    const names = ['event_filter_suppressed_total', 'echo_suppressed_total', 'ephemeral_messages_total'];
    const counts = async () => {
      const metrics = await node.metrics();
      return names.map((name) => metrics.value(name, SHOP));
    };
    expect(await counts()).toEqual([0, 0, 0]);
    const [all, some, quiet] = [
      await ClientV2.connect(node),
      await ClientV2.connect(node),
      await ClientV2.connect(node, { query: '&echo_messages=false' }),
    ];
    await all.subscribe('private-a');
    await some.subscribe('private-a', { filter: { events: ['other'] } });
    await quiet.subscribe('private-a');
    const api = node.api();
    await api.publish('private-a', 'news', 1);
    await api.publish('private-a', 'other', 2, { extras: { ephemeral: true } });
    quiet.send({ event: 'client-x', channel: 'private-a', data: 3 });
    await all.until('client-x');
    expect(await counts()).toEqual([2, 1, 1]);
    expect((await api.request('GET', '/channels/private-a/history')).status).toBe(200);
    // What the client said is one of them.
    const substituted = { ...SHOP, result: 'applied' };
    expect((await node.metrics()).value('versioned_history_substitution_total', substituted)).toBe(2);
  });
});
