import { expect, it } from 'vitest';
import { expectRefused, told } from '../harness/answers.js';
import type { Api } from '../harness/api.js';
import { onEveryHttpApp, onGroup } from '../harness/every-app.js';
import { published } from '../harness/frames.js';
import { tenant } from '../harness/tenant.js';

const shop = tenant('shop');
const narrow = tenant('narrow', { limits: { max_event_payload_in_kb: 1 } });
const send = (api: Api, event: object) => api.request('POST', '/events', { body: JSON.stringify(event) });

onEveryHttpApp('an event', { tenants: [shop, narrow] }, (node) => {
  it('arrives with an object as the string of its compact JSON, digits and all', async () => {
    const client = await node.connect();
    await client.subscribe('a');
    await node.api().publishText('{"name":"e","channel":"a","data":{ "b" : [1, 2.50] }}');
    await node.api().publishText('{"name":"e","channel":"a","data":{"n":12345678901234567890}}');
    expect(await client.pending()).toEqual([
      published('a', 'e', '{"b":[1,2.50]}'),
      published('a', 'e', '{"n":12345678901234567890}'),
    ]);
  });

  it('reaches each of its channels once, also when one is named twice', async () => {
    const clients = await Promise.all(
      ['a', 'b', 'c'].map(async (channel) => ({ channel, client: await node.connect() })),
    );
    for (const { channel, client } of clients) await client.subscribe(channel);
    expect(await told(send(node.api(), { name: 'e', channels: ['a', 'b', 'c', 'a'], data: 'x' }))).toEqual([
      200,
      { ok: true },
    ]);
    for (const { channel, client } of clients)
      expect(await client.pending()).toEqual([published(channel, 'e', 'x')]);
  });

  it('needs a channel, and an empty list of them is none', async () => {
    const answer = await expectRefused(
      send(node.api(), { name: 'e', channels: [], channel: 'a' }),
      400,
      'missing_channel_info',
    );
    const { error } = JSON.parse(answer.body) as { error: string };
    expect(error).toContain('channels');
    expect(error).toMatch(/\bchannel\b/);
  });

  it('needs a name of at most 200 bytes', async () => {
    await expectRefused(send(node.api(), { channel: 'a' }), 400, 'invalid_input');
    await expectRefused(
      send(node.api(), { name: 'é'.repeat(100) + 'x', channel: 'a' }),
      400,
      'limit_exceeded',
    );
    expect(await told(send(node.api(), { name: 'é'.repeat(100), channel: 'a' }))).toEqual([
      200,
      { ok: true },
    ]);
  });

  it('has data up to the limit of its app', async () => {
    const api = node.api(narrow);
    await expectRefused(
      send(api, { name: 'e', channel: 'a', data: 'x'.repeat(1025) }),
      413,
      'payload_too_large',
    );
    expect(await told(send(api, { name: 'e', channel: 'a', data: 'x'.repeat(1024) }))).toEqual([
      200,
      { ok: true },
    ]);
  });

  it('goes nowhere when one of its channels has no valid name', async () => {
    const client = await node.connect();
    await client.subscribe('a');
    for (const wrong of ['a b', '', '*', '[meta]a', 'x'.repeat(201)]) {
      await expectRefused(send(node.api(), { name: 'e', channels: ['a', wrong] }), 400, 'invalid_input');
    }
    expect(await client.pending()).toEqual([]);
  });

  it('passes over the connection it names, in the form that ids have', async () => {
    const [cause, other] = [await node.connect(), await node.connect()];
    await cause.subscribe('a');
    await other.subscribe('a');
    await node.api().publish('a', 'e', 'x', { socket_id: cause.socketId });
    expect(await cause.pending()).toEqual([]);
    expect(await other.pending()).toEqual([published('a', 'e', 'x')]);
    await expectRefused(
      send(node.api(), { name: 'e', channel: 'a', socket_id: 'abc' }),
      400,
      'invalid_input',
    );
  });

  it('tells the counts that were asked for where they are known', async () => {
    const [ada, bo] = [await node.connect(), await node.connect()];
    await ada.join('presence-desk', 'ada');
    await bo.join('presence-desk', 'ada');
    await bo.subscribe('news');
    const event = { name: 'e', channels: ['presence-desk', 'news'], info: 'subscription_count, user_count' };
    const acknowledgement_id = expect.any(String) as string;
    expect(await told(send(node.apiAt(node.port), event))).toEqual([
      200,
      {
        channels: {
          'presence-desk': { acknowledgement_id, subscription_count: 2, user_count: 1 },
          news: { acknowledgement_id, subscription_count: 1 },
        },
      },
    ]);
  });

  it('is answered with exactly this when nothing was asked', async () => {
    const { status, body } = await send(node.api(), { name: 'e', channel: 'a' });
    expect([status, body]).toEqual([200, '{"ok":true}']);
  });

  it('for a cache channel is kept for those who come, and shown', async () => {
    await node.api().publish('cache-px', 'e', { n: 5 });
    const client = await node.connect();
    await client.subscribe('cache-px');
    expect(await client.pending()).toEqual([published('cache-px', 'e', '{"n":5}')]);
    const { cache } = (await node.api().channel('cache-px', 'cache')) as {
      cache: { data: string; ttl: number };
    };
    expect(cache.data).toBe(published('cache-px', 'e', '{"n":5}'));
    expect(cache.ttl).toBeGreaterThan(3000);
    expect(cache.ttl).toBeLessThanOrEqual(3600);
  });

  it('is at most 10 MiB with its envelope, whoever sends it, and of a stranger not even read', async () => {
    const body = 'x'.repeat(10 * 1024 * 1024 + 1);
    await expectRefused(node.api().request('POST', '/events', { body }), 413, 'payload_too_large');
    const unsigned = (bytes: string) =>
      node.request({ method: 'POST', path: '/apps/shop/events', body: Buffer.from(bytes) }, node.apiPort);
    await expectRefused(unsigned(body), 413, 'payload_too_large');
    await expectRefused(unsigned(body.slice(1)), 401, 'auth_failed');
  });

  it.each(['', '{', '[]', '"x"', 'null', '{"name":"e","channel":"a",}'])('is not %j', async (body) => {
    await expectRefused(node.api().request('POST', '/events', { body }), 400, 'invalid_input');
  });
});

onGroup('an event from an api node', { tenants: [shop] }, (node) => {
  it('reaches the subscribers of every gateway but the one connection it names', async () => {
    const cause = await node.connect(shop, { gateway: 2 });
    const others = [await node.connect(), await node.connect(shop, { gateway: 2 })];
    for (const client of [cause, ...others]) await client.subscribe('a');
    await node.api().publish('a', 'e', 'x', { socket_id: cause.socketId });
    expect(await cause.pending()).toEqual([]);
    for (const client of others) expect(await client.pending()).toEqual([published('a', 'e', 'x')]);
  });
});
