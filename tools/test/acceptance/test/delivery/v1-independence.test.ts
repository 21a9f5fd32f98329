import { expect, it, onTestFinished } from 'vitest';
import { ClientV2 } from '../harness/client-v2.js';
import type { Client } from '../harness/client.js';
import { LIVING } from '../harness/living.js';
import { Node } from '../harness/node.js';
import { openTenant } from '../harness/tenant.js';

const channels = {
  annotations_enabled: true,
  channel_delta_compression: { 'cache-*': { enabled: true, conflation_key: 'asset' } },
};
const shop = openTenant('shop', { channels, features: { enable_subscription_count_events: false } });

const ai_transport = { enabled: true, channels: [{ prefix: 'presence-' }, { prefix: 'chat' }] };

/** Every feature of protocol 2 that stores, numbers, changes or compresses messages, alone and together. */
const FEATURES: Readonly<Record<string, { env: Record<string, string>; config?: object }>> = {
  'connection recovery': { env: { CONNECTION_RECOVERY_ENABLED: 'true' } },
  'durable history': { env: { HISTORY_ENABLED: 'true', HISTORY_BACKEND: 'memory' } },
  'versioned messages': {
    env: { HISTORY_ENABLED: 'true', HISTORY_BACKEND: 'memory', VERSIONED_MESSAGES_ENABLED: 'true' },
  },
  annotations: { env: LIVING },
  'all of them, presence history, tag filters and AI transport': {
    env: {
      ...LIVING,
      CONNECTION_RECOVERY_ENABLED: 'true',
      PRESENCE_HISTORY_ENABLED: 'true',
      TAG_FILTERING_ENABLED: 'true',
    },
    config: { ai_transport },
  },
  'ephemeral messages, echo control and idempotency off': {
    env: { EPHEMERAL_ENABLED: 'false', ECHO_CONTROL_ENABLED: 'false', IDEMPOTENCY_ENABLED: 'false' },
  },
};

/** A V1 connection and every frame it has received, without what differs between any two connections. */
class Recorder {
  readonly texts: string[] = [];

  constructor(readonly client: Client) {}

  async until(event: string): Promise<void> {
    for (let name = ''; name !== event;) {
      const text = await this.client.nextText();
      this.texts.push(text);
      name = (JSON.parse(text) as { event: string }).event;
    }
  }
}

const publishes = [
  { name: 'plain', channel: 'chat', data: 'hi' },
  { name: 'object', channel: 'chat', data: { n: 12, deep: [null, { a: 1 }] } },
  { name: 'pusher:own', channel: 'chat', data: 'prefix of protocol 1' },
  { name: 'service:own', channel: 'chat', data: 'prefix of protocol 2' },
  { name: 'client-server', channel: 'presence-lobby', data: 'from a server' },
  { name: 'tagged', channel: 'chat', data: 'hi', tags: { region: 'eu' }, delta: false },
  { name: 'identified', channel: 'chat', data: 'hi', message_id: 'm-1', extras: { idempotencyKey: 'k' } },
  {
    name: 'enveloped',
    channel: 'chat',
    data: 'hi',
    extras: { headers: { a: 1, b: 'x' }, ref: 7, echo: true },
  },
  { name: 'ephemeral', channel: 'chat', data: 'hi', extras: { ephemeral: true } },
  { name: 'several', channels: ['chat', 'private-room', 'presence-lobby'], data: 'hi' },
  { name: 'sealed', channel: 'private-encrypted-vault', data: '{"nonce":"n","ciphertext":"c"}' },
  { name: 'price', channel: 'cache-prices', data: { asset: 'a', price: 1, pad: 'x'.repeat(200) } },
  { name: 'price', channel: 'cache-prices', data: { asset: 'a', price: 2, pad: 'x'.repeat(200) } },
  { name: 'direct', channel: '#server-to-user-ada', data: 'hi' },
];

/** Frames that a V1 connection receives of a fixed course of events, and the end of its connection. */
async function course(node: Node): Promise<readonly string[]> {
  const api = node.api();
  const post = (path: string, body: object) => api.request('POST', path, { body: JSON.stringify(body) });
  const watcher = new Recorder(await node.connect());
  const { client } = watcher;
  client.askSignin(JSON.stringify({ id: 'ada', watchlist: ['bob'] }));
  await watcher.until('pusher:signin_success');
  await watcher.until('pusher_internal:watchlist_events');
  for (const channel of ['chat', 'private-room', 'private-encrypted-vault', 'cache-prices'])
    watcher.texts.push(await client.subscribe(channel));
  await watcher.until('pusher:cache_miss');
  watcher.texts.push(await client.join('presence-lobby', 'ada', { name: 'Ada' }));

  const old = await node.connect();
  await old.signin('bob');
  await watcher.until('pusher_internal:watchlist_events');
  await old.join('presence-lobby', 'bob', { name: 'Bob' });
  await watcher.until('pusher_internal:member_added');
  await old.subscribe('private-room');
  const modern = await ClientV2.connect(node);
  await modern.subscribe('presence-lobby', {}, 'cyd');
  await watcher.until('pusher_internal:member_added');
  for (const channel of ['chat', 'cache-prices', 'private-room'])
    modern.ask(channel, { delta: 'fossil', filter: { events: ['price'] } });
  await modern.pending();

  old.send({ event: 'client-old', channel: 'presence-lobby', data: { on: true }, user_id: 'forged' });
  await watcher.until('client-old');
  old.send({ event: 'client-old', channel: 'private-room', data: [1, 2] });
  await watcher.until('client-old');
  for (const channel of ['presence-lobby', 'private-room']) {
    modern.send({
      event: 'client-modern',
      channel,
      data: 'hi',
      message_id: `of-${channel}`,
      extras: { headers: { a: 1 }, echo: true },
    });
    await watcher.until('client-modern');
  }
  modern.send({ event: 'service:presence_update', data: { channel: 'presence-lobby', data: { on: 1 } } });
  await modern.until('service_internal:presence_update');

  for (const body of publishes) {
    expect((await post('/events', body)).status).toBe(200);
    await watcher.until(body.name.replace('service:', 'pusher:'));
  }
  const batch = publishes.slice(0, 3).map((one, at) => ({ ...one, name: `batch-${at}` }));
  expect((await post('/batch_events', { batch })).status).toBe(200);
  await watcher.until('batch-2');
  const made = await post('/events', { name: 'made', channel: 'chat', data: 'a', message_id: 'm-2' });
  await watcher.until('made');
  const { channels: told } = JSON.parse(made.body) as { channels: { chat: { message_serial?: string } } };
  const message = `/channels/chat/messages/${told.chat.message_serial ?? 'none'}`;
  // Refused where messages cannot be changed, and in any case nothing that protocol 1 is told.
  await post(`${message}/update`, { data: 'b' });
  await post(`${message}/append`, { data: 'c' });
  await post(`${message}/annotations`, { type: 'reactions:total.v1' });
  await post(`${message}/delete`, {});

  const late = new Recorder(await node.connect());
  late.texts.push(await late.client.subscribe('cache-prices'));
  await late.until('price');
  client.ask('private-room', { auth: 'wrong' });
  await watcher.until('pusher:subscription_error');
  client.send('no json');
  await watcher.until('pusher:error');
  client.send({ event: 'client-x', channel: 'chat', data: 1 });
  await watcher.until('pusher:error');
  old.unsubscribe('presence-lobby');
  await watcher.until('pusher_internal:member_removed');
  await api.user('ada', 'terminate_connections');
  const { texts, code, reason } = await client.ended();
  return [...watcher.texts, ...texts, `${code} ${reason}`, ...late.texts];
}

async function courseWith(feature: { env: Record<string, string>; config?: object }) {
  const node = new Node('server', { tenants: [shop], env: feature.env, config: { ...feature.config } });
  onTestFinished(async () => {
    node.dropClients();
    await node.stop();
  });
  await node.start();
  return course(node);
}

/** The course on a server with all of these features off, run once. */
const plain = onceOnly(() => courseWith({ env: {} }));

function onceOnly<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | null = null;
  return () => (made ??= make());
}

it.each(Object.entries(FEATURES))(
  'V1 frames are the same as on a plain server when the server has %s',
  async (_, feature) => {
    const expected = await plain();
    expect(expected).toContain(
      '{"event":"client-old","channel":"presence-lobby","data":{"on":true},"user_id":"bob"}',
    );
    expect(await courseWith(feature)).toEqual(expected);
  },
);
