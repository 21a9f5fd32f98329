import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ClientV2 } from '../harness/client-v2.js';
import { eventually } from '../harness/eventually.js';
import { Node } from '../harness/node.js';
import { openTenant } from '../harness/tenant.js';
import { Receiver } from './receiver.js';

const EVERYTHING = [
  'channel_occupied',
  'channel_vacated',
  'member_added',
  'member_updated',
  'member_removed',
  'client_event',
  'cache_miss',
  'subscription_count',
];
const BRIEFLY_MS = 1500;
const asText = (event: object): string => JSON.stringify(event);
const pause = (ms: number) => new Promise<void>((later) => void setTimeout(later, ms));

describe('the server tells an app’s own server', () => {
  const [receiver, orders] = [new Receiver(), new Receiver()];
  let node: Node;
  beforeAll(async () => {
    await Promise.all([receiver.open(), orders.open()]);
    const shop = openTenant('shop', {
      webhooks: [
        { url: receiver.url, event_types: EVERYTHING },
        { url: orders.url, event_types: EVERYTHING, filter: { channel_prefix: 'orders' } },
      ],
    });
    receiver.belongsTo(shop);
    orders.belongsTo(shop);
    node = new Node('server', { tenants: [shop] });
    await node.start();
  });
  beforeEach(() => void receiver.events.splice(0));
  afterAll(async () => {
    node.dropClients();
    expect(await node.stop()).toBe(0);
    expect([receiver.forged, orders.forged, node.complaints()]).toEqual([[], [], []]);
    receiver.close();
    orders.close();
  });
  const heard = (...events: readonly object[]) =>
    eventually(() => {
      expect(receiver.events.map(asText).sort()).toEqual(events.map(asText).sort());
    });

  it('that a channel is occupied, how many subscribe, and three seconds later that it is vacated', async () => {
    const client = await node.connect();
    await client.subscribe('news');
    await heard(
      { name: 'channel_occupied', channel: 'news' },
      { name: 'subscription_count', channel: 'news', subscription_count: 1 },
    );
    const leftMs = Date.now();
    await client.close();
    await receiver.hears('channel_vacated', ['news']);
    expect(Date.now() - leftMs).toBeGreaterThanOrEqual(3000);
    expect(receiver.events.at(-1)).toEqual({ name: 'channel_vacated', channel: 'news' });
  });

  it('nothing of a channel that is left and entered again within three seconds', async () => {
    const client = await node.connect();
    await client.subscribe('brief');
    for (let times = 0; times < 2; times += 1) {
      client.unsubscribe('brief');
      await pause(BRIEFLY_MS);
      await client.subscribe('brief');
    }
    await pause(2 * BRIEFLY_MS);
    const names = receiver.events.map(({ name }) => name).filter((name) => name.startsWith('channel_'));
    expect(names).toEqual(['channel_occupied']);
    await client.close();
    await receiver.hears('channel_vacated', ['brief']);
  });

  it('of members that come and go, without counting them', async () => {
    const client = await node.connect();
    await client.join('presence-lobby', 'u-9');
    await heard(
      { name: 'member_added', channel: 'presence-lobby', user_id: 'u-9' },
      { name: 'channel_occupied', channel: 'presence-lobby' },
    );
    receiver.events.splice(0);
    await client.close();
    await heard(
      { name: 'member_removed', channel: 'presence-lobby', user_id: 'u-9' },
      { name: 'channel_vacated', channel: 'presence-lobby' },
    );
  });

  it('of what members say of themselves anew, as they said it', async () => {
    const client = await ClientV2.connect(node);
    await client.subscribe('presence-desk', {}, 'u-9');
    await receiver.hears('member_added', ['presence-desk']);
    const user_info = '{"n":12345678901234567890}';
    const data = `{"channel":"presence-desk","user_info":${user_info}}`;
    client.sendBytes(Buffer.from(`{"event":"service:presence_update","data":${data}}`));
    await receiver.hears('member_updated', ['presence-desk']);
    const update = receiver.events.find(({ name }) => name === 'member_updated');
    expect(update).toMatchObject({ channel: 'presence-desk', user_id: 'u-9' });
    expect(receiver.bodies.some((body) => body.includes(`"user_info":${user_info}`))).toBe(true);
  });

  it('what clients say, to the digit, and nothing that servers publish', async () => {
    const client = await node.connect();
    await client.subscribe('private-chat');
    const data = '{"n":12345678901234567890}';
    client.send(`{"event":"client-typing","channel":"private-chat","data":${data}}`);
    await node.api().publish('private-chat', 'news', 'of the server');
    await receiver.hears('client_event', ['private-chat']);
    const events = receiver.events.filter(({ name }) => name === 'client_event');
    expect(events).toEqual([
      {
        name: 'client_event',
        channel: 'private-chat',
        event: 'client-typing',
        data,
        socket_id: client.socketId,
      },
    ]);
    await client.close();
  });

  it('that a cache channel has nothing to show', async () => {
    const client = await node.connect();
    client.send('{"event":"pusher:subscribe","data":{"channel":"cache-prices"}}');
    await receiver.hears('cache_miss', ['cache-prices']);
    expect(receiver.events).toContainEqual({ name: 'cache_miss', channel: 'cache-prices', data: '{}' });
    await client.close();
  });

  it('only of channels that the receiver’s filter lets through', async () => {
    const client = await node.connect();
    for (const channel of ['orders-1', 'other', 'orders-2']) await client.subscribe(channel);
    await orders.hears('channel_occupied', ['orders-1', 'orders-2']);
    expect(new Set(orders.events.map(({ channel }) => channel))).toEqual(new Set(['orders-1', 'orders-2']));
    await client.close();
  });
});

describe('a server that stops', () => {
  it('delivers before it exits what its end brings about', async () => {
    const receiver = await new Receiver().open();
    const shop = openTenant('shop', {
      webhooks: [{ url: receiver.url, event_types: ['channel_vacated', 'member_removed'] }],
    });
    receiver.belongsTo(shop);
    const node = new Node('server', { tenants: [shop] });
    await node.start();
    const client = await node.connect();
    await client.subscribe('orders');
    await client.join('presence-lobby', 'u-9');
    expect(await node.stop()).toBe(0);
    expect(receiver.events.map(asText).sort()).toEqual([
      '{"name":"channel_vacated","channel":"orders"}',
      '{"name":"channel_vacated","channel":"presence-lobby"}',
      '{"name":"member_removed","channel":"presence-lobby","user_id":"u-9"}',
    ]);
    receiver.close();
  });
});

describe('webhooks are off, and the log says so once,', () => {
  const shop = openTenant('shop', {
    webhooks: [{ url: 'http://127.0.0.1:1/', event_types: ['channel_occupied'] }],
  });
  const warnings = async (app: 'server' | 'gateway', env: Readonly<Record<string, string>>) => {
    const node = new Node(app, { tenants: [shop], env });
    await node.start();
    const client = await node.connect();
    await client.subscribe('orders');
    await client.subscribe('news');
    expect(await node.stop()).toBe(0);
    return node.log
      .map(({ level, fields }) => `${level} ${String(fields.message)}`)
      .filter((line) => line.includes('webhooks are off'));
  };

  it('without a queue', async () => {
    expect(await warnings('server', { QUEUE_DRIVER: 'none' })).toEqual([
      'WARN webhooks are off: queue.driver is none',
    ]);
  });

  it('where a queue in memory has nobody to work on it', async () => {
    const why = ['WARN webhooks are off: queue.driver is memory, and this process does not deliver them'];
    expect(await warnings('gateway', {})).toEqual(why);
    expect(await warnings('server', { SERVICE_WORKERS_WEBHOOKS: 'false' })).toEqual(why);
  });
});
