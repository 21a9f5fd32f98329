import { describe, expect, it } from 'vitest';
import { InvalidRequestError, RateLimitedError, TimeoutError, UnavailableError } from '../src/index.js';
import { answer, faultyService, hangUp, silence } from './faulty-service.js';

const OK = answer(200, { ok: true });
const bodyOf = (received: { readonly body: string } | undefined) =>
  JSON.parse(received?.body ?? '') as Record<string, unknown>;

describe('publish', () => {
  it('sends text as it is, other data as JSON text, and leaves undefined out', async () => {
    const { client, received } = await faultyService([OK]);
    await client.publish('a', 'e', '{"n": 1.50}');
    await client.publish('a', 'e', { n: 1 });
    await client.publish('a', 'e');
    expect(received.map((one) => bodyOf(one)['data'])).toEqual(['{"n": 1.50}', '{"n":1}', undefined]);
  });

  it.each([[1n], [() => 1], [new Uint8Array(1)], [new ArrayBuffer(1)]])(
    'rejects data of another type before any request: %s',
    async (data) => {
      const { client, received } = await faultyService([OK]);
      await expect(client.publish('a', 'e', data)).rejects.toThrow(TypeError);
      expect(received).toEqual([]);
    },
  );

  it('rejects no channel, a malformed socket id and an encrypted channel without encryptor', async () => {
    const { client, received } = await faultyService([OK]);
    await expect(client.publish([], 'e')).rejects.toThrow(InvalidRequestError);
    await expect(client.publish('a', 'e', 1, { socketId: 'x' })).rejects.toThrow('"x" is malformed');
    await expect(client.publish('private-encrypted-a', 'e')).rejects.toThrow('is encrypted');
    expect(received).toEqual([]);
  });

  it.each([
    ['a hang-up', [hangUp, OK]],
    ['503', [answer(503, { error: 'e', code: 'service_unavailable' }), OK]],
    ['an answer that is not JSON', [answer(200, '<html>'), OK]],
  ])('repeats after %s with the same key and a new signature', async (_, reactions) => {
    const { client, received } = await faultyService(reactions);
    expect(await client.publish('a', 'e', 1)).toEqual({ ok: true });
    const [first, second] = received;
    expect(received).toHaveLength(2);
    expect(bodyOf(first)['idempotency_key']).toMatch(/^[\w-]{20,64}$/);
    expect(second?.body).toBe(first?.body);
  });

  it('does not repeat without a key, except after 429', async () => {
    const refused = await faultyService([answer(503, { error: 'e', code: 'x' }), OK]);
    await expect(refused.client.publish('a', 'e', 1, { idempotencyKey: false })).rejects.toThrow(
      UnavailableError,
    );
    expect(refused.received).toHaveLength(1);
    const limited = await faultyService([
      answer(429, { error: 'e', code: 'rate_limited' }, { 'Retry-After': '0' }),
      OK,
    ]);
    await limited.client.publish('a', 'e', 1, { idempotencyKey: false });
    expect(limited.received).toHaveLength(2);
    expect(bodyOf(limited.received[0])).not.toHaveProperty('idempotency_key');
  });

  it('gives up after the retries with the details of the last answer', async () => {
    const { client, received } = await faultyService(
      [answer(429, { error: 'slow down', code: 'rate_limited' }, { 'Retry-After': '0' })],
      { retries: 1 },
    );
    const error = await client.publish('a', 'e', 'TOP').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RateLimitedError);
    expect(error).toMatchObject({
      status: 429,
      code: 'rate_limited',
      retryable: true,
      method: 'POST',
      path: '/apps/1001/events',
      attempts: 2,
      retryAfterMs: 0,
    });
    expect(received).toHaveLength(2);
    const shown = `${String(error)} ${JSON.stringify(error)}`;
    for (const secret of ['secret-1', 'key-1', 'auth_', 'TOP']) expect(shown).not.toContain(secret);
  });

  it('does not repeat a refusal', async () => {
    const { client, received } = await faultyService([
      answer(400, { error: 'bad name', code: 'invalid_input' }),
    ]);
    const error = await client.publish('a', 'e').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(String(error)).toContain('400 invalid_input: bad name');
    expect(received).toHaveLength(1);
  });

  it('rejects with TimeoutError if no attempt is answered in time', async () => {
    const { client } = await faultyService([silence], { timeoutMs: 50, retries: 1 });
    const error = await client.publish('a', 'e').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({ code: 'timeout', status: null, attempts: 2, retryable: true });
  });

  it.each(['before', 'during', 'between'])(
    'rejects with the reason of a signal aborted %s attempts',
    async (when) => {
      const reason = new Error('left');
      const abort = new AbortController();
      const abortLater = (): void => void setTimeout(() => abort.abort(reason), 0);
      const busy = answer(503, { error: 'e', code: 'x' }, { 'Retry-After': '60' });
      const { client, received } = await faultyService([
        (response, request) => {
          abortLater();
          (when === 'between' ? busy : silence)(response, request);
        },
      ]);
      if (when === 'before') abort.abort(reason);
      await expect(client.publish('a', 'e', 1, { signal: abort.signal })).rejects.toBe(reason);
      expect(received).toHaveLength(when === 'before' ? 0 : 1);
    },
  );
});

describe('publishBatch', () => {
  it('accepts items of the package pusher and gives each the key with its index', async () => {
    const { client, received } = await faultyService([answer(200, {})]);
    await client.publishBatch(
      [
        { channel: 'a', name: 'e', data: { n: 1 }, socket_id: '1.2' },
        { channel: 'b', name: 'e', data: 'x', info: 'user_count' },
      ],
      { idempotencyKey: 'k' },
    );
    expect(bodyOf(received[0])).toEqual({
      batch: [
        { channel: 'a', name: 'e', data: '{"n":1}', socket_id: '1.2', idempotency_key: 'k:0' },
        { channel: 'b', name: 'e', data: 'x', info: 'user_count', idempotency_key: 'k:1' },
      ],
    });
  });
});

describe('answers', () => {
  it('are renamed at every depth, except names of channels and content of the app', async () => {
    const { client } = await faultyService([
      answer(200, {
        channels: { a_b: { subscription_count: 1 } },
        complete: true,
        items: [{ message_id: 'm', data: { a_b: 1 }, extras: { c_d: 1 } }],
      }),
    ]);
    expect(await client.channels()).toEqual({
      channels: { a_b: { subscriptionCount: 1 } },
      complete: true,
      items: [{ messageId: 'm', data: { a_b: 1 }, extras: { c_d: 1 } }],
    });
    expect(await client.request('GET', '/channels')).toMatchObject({
      channels: { a_b: { subscription_count: 1 } },
    });
  });

  it('of lists are iterated through their cursors', async () => {
    const { client, received } = await faultyService([
      answer(200, { items: [1, 2], has_more: true, next_cursor: 'c/1' }),
      answer(200, { items: [3], has_more: false, next_cursor: null }),
    ]);
    const items: unknown[] = [];
    for await (const item of await client.channel('a b').history({ limit: 2 })) items.push(item);
    expect(items).toEqual([1, 2, 3]);
    expect(received.map(({ path, query }) => [path, query.get('cursor')])).toEqual([
      ['/apps/1001/channels/a%20b/history', null],
      ['/apps/1001/channels/a%20b/history', 'c/1'],
    ]);
  });
});
