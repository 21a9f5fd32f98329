import { cacheKeys } from '@carillon/contracts';
import { ERRORS } from '@carillon/errors';
import { prepareSigningKey, signRequest } from '@carillon/auth';
import { encodeFactV1 } from '@carillon/protocol';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { call, NOW, openScene, publish, publishBatch, send, type Answered, type Scene } from './scene.js';

/** Whether an answer is one the API may give: 200, or a row of the error table in its one body. */
function isKnown(answer: Answered): boolean {
  if (answer.status === 200) return answer.body !== undefined;
  const { code, status, error } = answer.body as {
    code: keyof typeof ERRORS;
    status: number;
    error: unknown;
  };
  return code in ERRORS && status === answer.status && typeof error === 'string' && status !== 500;
}

interface Delivered {
  readonly channel: string;
  readonly event: string;
  readonly data: string;
}

/** Expected deliveries of an accepted event, derived from the request only. */
function expectedOf(sent: unknown): Delivered[] {
  const { name, channel, channels, data } = sent as Record<string, unknown>;
  const names = (channels ?? [channel]) as string[];
  const text = typeof data === 'string' ? data : JSON.stringify(data ?? null);
  return [...new Set(names)].map((one) => ({ channel: one, event: name as string, data: text }));
}

/** Whether a key may prevent a second delivery. */
const hasKey = (sent: unknown): boolean => {
  const { message_id: id, idempotency_key: key, extras } = sent as Record<string, unknown>;
  return [id, key, (extras as { idempotencyKey?: unknown } | undefined)?.idempotencyKey].some(
    (one) => one !== undefined && one !== null,
  );
};

/** Sends events and checks that accepted ones are delivered unchanged: to each channel once, and to no other. */
async function isDelivered(scene: Scene, sending: Promise<Answered>, events: readonly unknown[]) {
  const before = scene.sockets.delivered.length;
  const { status } = await isFine(scene, sending);
  const delivered = scene.sockets.delivered.slice(before);
  if (status !== 200) return;
  const frames = delivered.map(({ channel, fact }) => {
    const { event, data } = JSON.parse(encodeFactV1(fact) ?? '') as Delivered;
    return { channel, event, data };
  });
  const expected = events.flatMap(expectedOf);
  if (events.some(hasKey)) for (const frame of frames) expect(expected).toContainEqual(frame);
  else expect(frames).toEqual(expected);
}

const isGiven = (value: unknown): value is string => typeof value === 'string' && value !== '';

const isRevoked = async ({ cache }: Scene, kind: 'jti' | 'client', id: string): Promise<boolean> => {
  const name = kind === 'jti' ? cacheKeys.revokedToken('shop', id) : cacheKeys.revokedClient('shop', id);
  return (await cache.get(name)) !== null;
};

async function isFine(scene: Scene, sending: Promise<Answered>): Promise<Answered> {
  const before = scene.sockets.delivered.length;
  const answer = await sending;
  expect(answer).toSatisfy(isKnown);
  expect(scene.faults).toEqual([]);
  const published = scene.sockets.delivered.length - before;
  if (answer.status !== 200) expect(published).toBe(0);
  return answer;
}

const paths = fc.constantFrom(
  'events',
  'batch_events',
  'channels',
  'channels/a',
  'channels/presence-a/users',
  'revocations',
  'users/u/terminate_connections',
  'users/%ff/force_reconnect',
  'channels/%00',
  'channels/%F0%9F',
);
const methods = fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'PATCH');
const authNames = fc.constantFrom(
  'auth_key',
  'auth_timestamp',
  'auth_signature',
  'auth_version',
  'body_md5',
  'Auth_Key',
  'info',
  'x',
);
const authValues = fc.oneof(fc.constantFrom('shop-key', String(NOW), '', '%', '%zz', '+', 'é'), fc.string());
const query = fc
  .array(fc.tuple(authNames, authValues))
  .map((pairs) =>
    pairs
      .map(([name, value]) => `${name}=${value.includes('%') ? value : encodeURIComponent(value)}`)
      .join('&'),
  )
  .map((text) => text.replaceAll(/[^\u0021-\u007e]|[#\\^`{|}"<>]/g, ''));

/** Members with their right names and any value at all. */
const anything = fc.oneof(
  { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  { weight: 1, arbitrary: fc.constantFrom('a', 'presence-a', 'cache-a', '1.1', 'user_count', '') },
);
const channelNames = fc.oneof(
  fc.constantFrom('a', 'presence-b', 'cache-c', '#server-to-user-1', 'a:b', 'x#y', '*', '[meta]a', ''),
  fc.string(),
);
const eventLike = fc.record(
  {
    name: fc.oneof(
      fc.string({ maxLength: 300 }),
      fc.constantFrom('ai-input', 'pusher:x', 'client-x'),
      anything,
    ),
    channel: fc.oneof(channelNames, anything),
    channels: fc.oneof(fc.array(fc.oneof(channelNames, anything), { maxLength: 5 }), anything),
    data: anything,
    socket_id: anything,
    info: anything,
    tags: anything,
    delta: anything,
    idempotency_key: fc.oneof(fc.string({ maxLength: 140 }), anything),
    message_id: fc.oneof(fc.string({ maxLength: 140 }), anything),
    extras: fc.oneof(
      fc.record(
        { headers: anything, push: anything, ai: anything, idempotencyKey: anything },
        { requiredKeys: [] },
      ),
      anything,
    ),
    ['__proto__']: anything,
    constructor: anything,
  },
  { requiredKeys: [] },
);
const goodEvent = fc.record({
  name: fc.string({ minLength: 1, maxLength: 20 }),
  channel: fc.constantFrom('a', 'b', 'cache-c'),
  data: anything,
});

describe('whatever is sent', () => {
  it('unsigned is answered from the error table and publishes nothing', async () => {
    const scene = await openScene();
    await fc.assert(
      fc.asyncProperty(methods, paths, query, fc.string(), async (method, path, text, body) => {
        const withBody = method === 'POST' || method === 'PUT' || method === 'PATCH';
        const answer = await send(scene, method, `/apps/shop/${path}?${text}`, withBody ? body : undefined);
        expect([400, 401, 404, 405]).toContain(answer.status);
        expect(answer).toSatisfy((one: Answered) => method === 'HEAD' || isKnown(one));
      }),
      { numRuns: 150 },
    );
    expect(scene.sockets.delivered).toEqual([]);
    expect(scene.faults).toEqual([]);
  });

  it('as a signed event is published, or refused whole', async () => {
    const scene = await openScene();
    await fc.assert(
      fc.asyncProperty(fc.oneof(eventLike, anything), (event) =>
        isDelivered(scene, publish(scene, JSON.stringify(event)), [event]),
      ),
      { numRuns: 300 },
    );
  });

  it('as a signed batch is published, or refused whole', async () => {
    const scene = await openScene();
    const batches = fc.array(
      fc.oneof({ weight: 6, arbitrary: goodEvent }, { weight: 1, arbitrary: eventLike }),
      { maxLength: 5 },
    );
    await fc.assert(
      fc.asyncProperty(fc.oneof(batches, anything), (batch) =>
        isDelivered(scene, publishBatch(scene, batch), Array.isArray(batch) ? batch : []),
      ),
      { numRuns: 200 },
    );
  });

  it('as the text of a signed body is read or refused', async () => {
    const scene = await openScene();
    const texts = fc.oneof(
      fc.string(),
      fc.json().map((text) => text.slice(1)),
      fc.json().map((text) => `{"name":"e","channel":"a","data":${text}`),
    );
    const endpoints = fc.constantFrom('/events', '/batch_events', '/revocations');
    await fc.assert(
      fc.asyncProperty(texts, endpoints, async (text, path) => {
        const { status } = await isFine(scene, call(scene, 'POST', path, text));
        if (status === 200) expect(JSON.parse(text)).toBeTypeOf('object');
      }),
      { numRuns: 150 },
    );
  });

  it('as a header is refused or has no effect', async () => {
    const scene = await openScene();
    const header = fc.string({
      unit: fc
        .integer({ min: 0x20, max: 0xff })
        .filter((code) => code !== 0x7f)
        .map((code) => String.fromCharCode(code)),
      maxLength: 140,
    });
    await fc.assert(
      fc.asyncProperty(header, async (key) => {
        const sent = { headers: { 'x-idempotency-key': key } };
        const { status } = await isFine(scene, publish(scene, { name: 'e', channel: 'a' }, sent));
        // The native parser takes everything beyond ASCII for white space, and cuts it off both ends.
        const received = key.replaceAll(/^[ \u0080-\u00ff]+|[ \u0080-\u00ff]+$/g, '');
        const isKey = /^[\u0021-\u007e][\u0020-\u007e]*$/.test(received) && received.length <= 128;
        expect(status).toBe(isKey ? 200 : 400);
      }),
      { numRuns: 100 },
    );
  });

  it('as a signed revocation is written or refused', async () => {
    const scene = await openScene();
    const body = fc.record(
      {
        jti: anything,
        client_id: anything,
        ttl_seconds: fc.oneof(fc.integer(), fc.double(), anything),
        expires_at: fc.oneof(fc.maxSafeInteger(), anything),
        reason: anything,
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(body, async (about) => {
        const { status, body: told } = await isFine(scene, call(scene, 'POST', '/revocations', about));
        if (status !== 200) return;
        expect(told).toEqual({
          revoked_jti: isGiven(about.jti),
          revoked_client_id: isGiven(about.client_id),
          closed_connections: 0,
        });
        for (const [kind, id] of [
          ['jti', about.jti],
          ['client', about.client_id],
        ] as const) {
          if (isGiven(id)) expect(await isRevoked(scene, kind, id)).toBe(true);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('signed with any bytes in the path names a user or is refused', async () => {
    const scene = await openScene();
    const segment = fc
      .uint8Array({ minLength: 1, maxLength: 12 })
      .map((bytes) => [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''));
    await fc.assert(
      fc.asyncProperty(segment, async (user) => {
        const asked = scene.sockets.asked.length;
        const { status } = await isFine(scene, call(scene, 'POST', `/users/${user}/force_reconnect`));
        const about = status === 200 ? [{ about: { userId: decodeURIComponent(user) } }] : [];
        expect(scene.sockets.asked.slice(asked)).toMatchObject(about);
      }),
      { numRuns: 100 },
    );
  });

  it('signed for nobody known is refused, whatever its key says', async () => {
    const scene = await openScene();
    // A value that reads as another parameter cannot be signed.
    const names = fc.string({ minLength: 1 }).filter((name) => !/&[^&]*=/.test(name));
    await fc.assert(
      fc.asyncProperty(names, async (name) => {
        const key = prepareSigningKey({ appId: 'shop', key: `x${name}`, secret: 's' });
        const rawPath = '/apps/shop/channels';
        const answer = await send(
          scene,
          'GET',
          `${rawPath}?${signRequest({ method: 'GET', rawPath }, key, NOW)}`,
        );
        expect(answer.body).toEqual({ error: 'auth_key is unknown', code: 'auth_failed', status: 401 });
      }),
      { numRuns: 50 },
    );
  });
});
