import { engine, whyMissing } from '@carillon/test-backends';
import { describe, expect, it } from 'vitest';
import { expectRefused, told } from '../harness/answers.js';
import type { Api } from '../harness/api.js';
import { onServerHttp, onGroup } from '../harness/every-app.js';
import { published } from '../harness/frames.js';
import { Node } from '../harness/node.js';
import { tenant } from '../harness/tenant.js';

const shop = tenant('shop');
const send = (api: Api, event: object, key?: string) =>
  api.request('POST', '/events', {
    body: JSON.stringify(event),
    headers: key === undefined ? {} : { 'X-Idempotency-Key': key },
  });
const sendBatch = (api: Api, batch: readonly object[], key?: string) =>
  api.request('POST', '/batch_events', {
    body: JSON.stringify({ batch }),
    headers: key === undefined ? {} : { 'X-Idempotency-Key': key },
  });

onServerHttp('an idempotency key', { tenants: [shop] }, (node) => {
  const subscribed = async (channel: string) => {
    const client = await node.connect();
    await client.subscribe(channel);
    return client;
  };

  it('publishes once and answers the same again', async () => {
    const client = await subscribed('a');
    const event = { name: 'e', channel: 'a', data: 'x', message_id: 'first' };
    const [first, second] = [await send(node.api(), event, 'twice'), await send(node.api(), event, 'twice')];
    expect(first.status).toBe(200);
    expect(first.headers['x-idempotency-replayed']).toBeUndefined();
    expect([second.status, second.body]).toEqual([200, first.body]);
    expect(second.headers['x-idempotency-replayed']).toBe('true');
    expect(await client.pending()).toEqual([published('a', 'e', 'x')]);
  });

  it('in the body wins over that of the header', async () => {
    const client = await subscribed('b');
    const event = { name: 'e', channel: 'b', data: 'x', idempotency_key: 'in-the-body' };
    await send(node.api(), event, 'in-the-header');
    const again = await send(node.api(), event);
    expect(again.headers['x-idempotency-replayed']).toBe('true');
    const { idempotency_key: _, ...plain } = event;
    const other = await send(node.api(), plain, 'in-the-header');
    expect(other.headers['x-idempotency-replayed']).toBeUndefined();
    expect(await client.pending()).toHaveLength(2);
  });

  it('is free again after a request that failed', async () => {
    const client = await subscribed('c');
    await expectRefused(send(node.api(), { name: 'e', channel: 'c d' }, 'corrected'), 400, 'invalid_input');
    const corrected = await send(node.api(), { name: 'e', channel: 'c', data: 'x' }, 'corrected');
    expect([corrected.status, corrected.headers['x-idempotency-replayed']]).toEqual([200, undefined]);
    expect(await client.pending()).toEqual([published('c', 'e', 'x')]);
  });

  it.each([
    ['empty', ''],
    ['of 129 bytes', 'k'.repeat(129)],
  ])('that is %s is refused, wherever it is', async (_, key) => {
    const event = { name: 'e', channel: 'a' };
    await expectRefused(send(node.api(), { ...event, idempotency_key: key }), 400, 'invalid_input');
    await expectRefused(send(node.api(), event, key), 400, 'invalid_input');
    await expectRefused(sendBatch(node.api(), [event], key), 400, 'invalid_input');
    expect(await told(send(node.api(), event, 'k'.repeat(128)))).toEqual([200, { ok: true }]);
  });

  it('of a batch does not shadow that of one of its events', async () => {
    const client = await subscribed('d');
    const batch = [{ name: 'e', channel: 'd', data: 'x', idempotency_key: 'one-for-both' }];
    const answers = [
      await sendBatch(node.api(), batch, 'one-for-both'),
      await sendBatch(node.api(), batch, 'one-for-both'),
    ];
    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [200, '{}'],
      [200, '{}'],
    ]);
    expect(answers[1]?.headers['x-idempotency-replayed']).toBe('true');
    expect(await client.pending()).toEqual([published('d', 'e', 'x')]);
  });

  it('and a message id stand for one content on one channel', async () => {
    const client = await subscribed('f');
    const event = { name: 'e', channel: 'f', data: 'x', message_id: 'm-1' };
    const [, first] = await told(send(node.api(), event));
    expect(await told(send(node.api(), event))).toEqual([200, first]);
    await expectRefused(send(node.api(), { ...event, data: 'y' }), 409, 'conflict');
    expect(await client.pending()).toEqual([published('f', 'e', 'x')]);
  });
});

onGroup('an idempotency key used on two processes at once', { tenants: [shop] }, (node) => {
  it('publishes once; whoever comes second is told so or asked to come again', async () => {
    const client = await node.connect();
    await client.subscribe('a');
    for (let round = 0; round < 20; round += 1) {
      const key = `race-${round}`;
      const event = { name: 'e', channel: 'a', data: key };
      const answers = await Promise.all([
        send(node.apiAt(node.apiPort), event, key),
        send(node.apiAt(node.port), event, key),
      ]);
      for (const { status, headers, body } of answers) {
        if (status === 200) expect(body).toBe('{"ok":true}');
        else {
          expect([status, headers['retry-after']]).toEqual([503, '1']);
          expect(JSON.parse(body)).toMatchObject({ code: 'backpressure' });
        }
      }
      const replays = answers.filter(({ headers }) => headers['x-idempotency-replayed'] === 'true');
      const refused = answers.filter(({ status }) => status === 503);
      expect(replays.length + refused.length).toBe(1);
      expect(await client.pending()).toEqual([published('a', 'e', key)]);
    }
  });
});

describe.runIf(whyMissing('redis') === null).each(['server', 'gateway'] as const)(
  'an idempotency key while the shared cache is down (%s)',
  (app) => {
    it('publishes nothing and asks to come again', { timeout: 60_000 }, async () => {
      const redis = await engine('redis', { own: true });
      const node = new Node(app, { tenants: [shop], env: { CACHE_DRIVER: 'redis', REDIS_URL: redis.url } });
      try {
        await node.start();
        const client = await node.connect();
        await client.subscribe('a');
        const event = { name: 'e', channel: 'a', data: 'x' };
        expect(await told(send(node.api(), event, 'before'))).toEqual([200, { ok: true }]);
        await redis.kill();
        for (const keyed of [
          send(node.api(), event, 'meanwhile'),
          send(node.api(), { ...event, message_id: 'm' }),
        ]) {
          const { headers } = await expectRefused(keyed, 503, 'service_unavailable');
          expect(headers['retry-after']).toBe('1');
        }
        expect(await told(send(node.api(), { ...event, data: 'no key' }))).toEqual([200, { ok: true }]);
        expect(await client.pending()).toEqual([published('a', 'e', 'x'), published('a', 'e', 'no key')]);
      } finally {
        node.dropClients();
        await node.stop();
        await redis.release();
      }
    });
  },
);
