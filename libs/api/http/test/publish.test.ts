import { encodeFactV1 } from '@carillon/protocol';
import { signRequest } from '@carillon/auth';
import { describe, expect, it } from 'vitest';
import { NOW, openScene, overriding, publish, read, refused, send, SHOP } from './scene.js';

const UUID = /^[0-9a-f-]{36}$/;

describe('publish', () => {
  it('answers exactly {"ok":true} when nothing is asked', async () => {
    const scene = await openScene();
    const answer = await publish(scene, { name: 'e', channels: ['a'], data: '{}' });
    expect(answer.text).toBe('{"ok":true}');
    expect(answer.headers.get('content-type')).toBe('application/json');
  });

  it('delivers an object as the string of its compact text, and equal content as an equal frame', async () => {
    const scene = await openScene();
    await publish(scene, '{"name":"e","channel":"a","data":{ "b" : [1, {"c":"x  y"}],\n"a":1.50 } }');
    await publish(
      scene,
      JSON.stringify({ name: 'e', channel: 'a', data: '{"b":[1,{"c":"x  y"}],"a":1.50}' }),
    );
    const [first, second] = scene.sockets.delivered.map(({ fact }) => encodeFactV1(fact));
    expect(first).toBe(second);
    expect(scene.sockets.frames('a')[0]).toEqual({
      event: 'e',
      channel: 'a',
      data: '{"b":[1,{"c":"x  y"}],"a":1.50}',
    });
  });

  it.each([
    ['{"n":12345678901234567890}', '{"n":12345678901234567890}'],
    ['1.10', '1.10'],
    ['true', 'true'],
    ['null', 'null'],
    ['"plain"', 'plain'],
    ['"\\u00e9\\n\\"\\\\"', 'é\n"\\'],
    ['""', ''],
    ['[]', '[]'],
  ])('with the data %s delivers the string %j', async (raw, delivered) => {
    const scene = await openScene();
    await publish(scene, `{"name":"e","channel":"a","data":${raw}}`);
    expect(scene.sockets.frames('a')).toEqual([{ event: 'e', channel: 'a', data: delivered }]);
  });

  it('delivers the string null when there is no data', async () => {
    const scene = await openScene();
    await publish(scene, { name: 'e', channel: 'a' });
    expect(scene.sockets.frames('a')).toEqual([{ event: 'e', channel: 'a', data: 'null' }]);
  });

  it('sends one frame to each channel, also to one listed twice', async () => {
    const scene = await openScene();
    await publish(scene, { name: 'e', channels: ['a', 'b', 'a', 'c'], data: 'x' });
    expect(scene.sockets.delivered.map(({ channel }) => channel)).toEqual(['a', 'b', 'c']);
  });

  it('leaves out the connection that is named', async () => {
    const scene = await openScene();
    expect(await publish(scene, { name: 'e', channel: 'a', socket_id: '12.34' })).toMatchObject({
      status: 200,
    });
    expect(scene.sockets.delivered[0]?.exceptSocketId).toBe('12.34');
    const wrong = await publish(scene, { name: 'e', channel: 'a', socket_id: 'abc' });
    expect(wrong).toMatchObject(refused(400, 'invalid_input'));
  });

  it('counts what is asked, of presence channels users too', async () => {
    const scene = await openScene();
    scene.sockets.counts = new Map([
      ['presence-desk', 5],
      ['orders', 12],
    ]);
    for (const [userId, socketId] of [
      ['u1', '1.1'],
      ['u1', '1.2'],
      ['u2', '1.3'],
    ] as const) {
      const who = { appId: 'shop', channel: 'presence-desk', userId, socketId, userInfoText: '{}' };
      await scene.presence.join(who, Infinity);
    }
    const info = 'subscription_count, user_count,else';
    const { body } = await publish(scene, {
      name: 'e',
      channels: ['presence-desk', 'orders', 'quiet'],
      info,
    });
    const acknowledgement_id = expect.stringMatching(UUID) as unknown;
    expect(body).toEqual({
      channels: {
        'presence-desk': { acknowledgement_id, user_count: 2, subscription_count: 5 },
        orders: { acknowledgement_id, subscription_count: 12 },
        quiet: { acknowledgement_id, subscription_count: 0 },
      },
    });
  });

  it('leaves out counts that cannot be read', async () => {
    const scene = await openScene({
      presence: (real) => overriding(real, { memberCounts: () => Promise.reject(new Error('down')) }),
    });
    scene.sockets.isSilent = true;
    const info = 'subscription_count,user_count';
    const { status, body } = await publish(scene, { name: 'e', channel: 'presence-a', info });
    expect(status).toBe(200);
    expect(body).toEqual({
      channels: { 'presence-a': { acknowledgement_id: expect.any(String) as unknown } },
    });
  });

  it('acknowledges with the id of the publisher', async () => {
    const scene = await openScene();
    const { body } = await publish(scene, { name: 'e', channel: '__proto__', message_id: 'm-1' });
    expect(JSON.stringify(body)).toBe('{"channels":{"__proto__":{"acknowledgement_id":"m-1"}}}');
  });

  it('keeps the last event of cache channels, and of those only', async () => {
    const scene = await openScene();
    await publish(scene, { name: 'tick', channels: ['cache-px', 'px-cache-'], data: { n: 5 } });
    const { body } = await read(scene, '/channels/cache-px', { info: 'cache' });
    const { cache } = body as { cache: { data: string; ttl: number } };
    expect(JSON.parse(cache.data)).toEqual({ event: 'tick', channel: 'cache-px', data: '{"n":5}' });
    expect(cache.ttl).toBeGreaterThan(3590);
    expect(cache.ttl).toBeLessThanOrEqual(3600);
    expect((await read(scene, '/channels/px-cache-', { info: 'cache' })).body).toEqual({ occupied: false });
  });

  it('reaches a user by the channel of that user', async () => {
    const scene = await openScene();
    expect(await publish(scene, { name: 'e', channel: '#server-to-user-7' })).toMatchObject({ status: 200 });
    expect(scene.sockets.delivered[0]?.channel).toBe('#server-to-user-7');
  });

  it('counts as absent what is null, and takes what it does not know', async () => {
    const scene = await openScene();
    const nothing = Object.fromEntries(
      [
        'channels',
        'data',
        'socket_id',
        'info',
        'tags',
        'delta',
        'idempotency_key',
        'message_id',
        'extras',
      ].map((name) => [name, null]),
    );
    const answer = await publish(scene, { ...nothing, name: 'e', channel: 'a', other: [1] });
    expect(answer.text).toBe('{"ok":true}');
  });

  it('takes tags, delta and extras, which protocol 1 never sees', async () => {
    const scene = await openScene();
    const extras = {
      headers: { priority: 'high', weight: 3, urgent: true },
      ephemeral: false,
      echo: true,
      push: {},
      other: { deep: [{}] },
    };
    const event = { name: 'e', channel: 'a', data: 'x', tags: { region: 'eu' }, delta: false, extras };
    expect(await publish(scene, event)).toMatchObject({ status: 200 });
    expect(scene.sockets.frames('a')).toEqual([{ event: 'e', channel: 'a', data: 'x' }]);
  });
});

describe('a publish is refused', () => {
  const event = { name: 'e', channel: 'a' };
  it.each<[string, object, number, string]>([
    ['without a name', { channel: 'a' }, 400, 'invalid_input'],
    ['with an empty name', { name: '', channel: 'a' }, 400, 'invalid_input'],
    ['with a name that is no string', { name: 5, channel: 'a' }, 400, 'invalid_input'],
    ['with a name of 201 bytes', { name: 'n'.repeat(201), channel: 'a' }, 400, 'limit_exceeded'],
    [
      'with a name of 101 characters and 202 bytes',
      { name: 'é'.repeat(101), channel: 'a' },
      400,
      'limit_exceeded',
    ],
    ['without a channel', { name: 'e' }, 400, 'missing_channel_info'],
    ['with no channels beside a channel', { ...event, channels: [] }, 400, 'missing_channel_info'],
    ['with channels that are no list', { name: 'e', channels: 'a' }, 400, 'invalid_input'],
    ['with a channel that is no string', { name: 'e', channels: ['a', 5] }, 400, 'invalid_input'],
    ['with an empty channel', { name: 'e', channel: '' }, 400, 'invalid_input'],
    ['with one bad channel among two', { name: 'e', channels: ['a', 'b b'] }, 400, 'invalid_input'],
    ['with a channel pattern', { name: 'e', channel: 'a*' }, 400, 'invalid_input'],
    ['with a meta channel', { name: 'e', channel: '[meta]a' }, 400, 'invalid_input'],
    ['with a channel of 201 bytes', { name: 'e', channel: 'c'.repeat(201) }, 400, 'invalid_input'],
    ['with info that is no string', { ...event, info: ['user_count'] }, 400, 'invalid_input'],
    ['with tags that are no strings', { ...event, tags: { a: 1 } }, 400, 'invalid_input'],
    ['with tags that are a list', { ...event, tags: [] }, 400, 'invalid_input'],
    ['with a delta that is no boolean', { ...event, delta: 'no' }, 400, 'invalid_input'],
    ['with extras that are no object', { ...event, extras: 'x' }, 400, 'invalid_input'],
    ['with a nested header', { ...event, extras: { headers: { a: {} } } }, 400, 'invalid_input'],
    ['with a list as a header', { ...event, extras: { headers: { a: [] } } }, 400, 'invalid_input'],
    ['with ephemeral that is no boolean', { ...event, extras: { ephemeral: 1 } }, 400, 'invalid_input'],
    ['with echo that is no boolean', { ...event, extras: { echo: 'x' } }, 400, 'invalid_input'],
    ['with push that is no object', { ...event, extras: { push: true } }, 400, 'invalid_input'],
    ['with an empty extras key', { ...event, extras: { idempotencyKey: '' } }, 400, 'invalid_input'],
    ['with an empty key', { ...event, idempotency_key: '' }, 400, 'invalid_input'],
    ['with a key of 129 bytes', { ...event, idempotency_key: 'k'.repeat(129) }, 400, 'invalid_input'],
    ['with a key that is no string', { ...event, idempotency_key: 7 }, 400, 'invalid_input'],
    ['with an empty message id', { ...event, message_id: '' }, 400, 'invalid_input'],
    ['with a message id of 129 bytes', { ...event, message_id: 'm'.repeat(129) }, 400, 'invalid_input'],
  ])('%s, and nothing is published', async (_what, body, status, code) => {
    const scene = await openScene();
    expect(await publish(scene, body)).toMatchObject(refused(status, code));
    expect(scene.sockets.delivered).toEqual([]);
  });

  it.each(['', 'nonsense', '{"name":', '[]', '"text"', 'null', '5'])('with the body %j', async (body) => {
    const scene = await openScene();
    expect(await publish(scene, body)).toMatchObject(refused(400, 'invalid_input'));
  });

  it('with a body that is not UTF-8, or nests without end', async () => {
    const scene = await openScene();
    const body = Buffer.from('{"name":"e","channel":"a","data":"\xff"}', 'latin1');
    const query = signRequest({ method: 'POST', rawPath: '/apps/shop/events', body }, scene.key, NOW);
    const notUtf8 = await send(scene, 'POST', `/apps/shop/events?${query}`, body);
    expect(notUtf8).toMatchObject(refused(400, 'invalid_input', 'the body is not valid JSON'));
    const deep = await publish(scene, `{"name":"e","channel":"a","data":${'['.repeat(1_000_000)}`);
    expect(deep).toMatchObject(refused(400, 'invalid_input'));
    expect(scene.faults).toEqual([]);
  });

  it('with AI content, by event or by extras, where no channel carries it', async () => {
    const scene = await openScene();
    const body = {
      error: expect.any(String) as unknown,
      code: 'ai_event_not_permitted',
      status: 403,
      ai_code: 104003,
    };
    expect(await publish(scene, { ...event, name: 'ai-output' })).toMatchObject({ status: 403, body });
    expect(await publish(scene, { ...event, extras: { ai: {} } })).toMatchObject({ status: 403, body });
    expect(scene.sockets.delivered).toEqual([]);
  });

  it('over the limits of its app, which count what is strictly more', async () => {
    const policy = { limits: { max_event_payload_in_kb: 1, max_event_channels_at_once: 2 } };
    const scene = await openScene({ apps: [{ ...SHOP, policy }] });
    const of = (bytes: number) => ({ ...event, data: 'é'.repeat(bytes / 2) + 'x'.repeat(bytes % 2) });
    expect(await publish(scene, of(1024))).toMatchObject({ status: 200 });
    expect(await publish(scene, of(1025))).toMatchObject(refused(413, 'payload_too_large'));
    const object = { ...event, data: { x: 'x'.repeat(1017) } };
    expect(await publish(scene, object)).toMatchObject(refused(413, 'payload_too_large'));
    expect(await publish(scene, { name: 'e', channels: ['a', 'b'] })).toMatchObject({ status: 200 });
    expect(await publish(scene, { name: 'e', channels: ['a', 'b', 'c'] })).toMatchObject(
      refused(400, 'limit_exceeded', '3 channels given, at most 2 allowed'),
    );
  });
});

describe('a publish that fails', () => {
  it('is answered with the failure after every channel was tried', async () => {
    const tried: string[] = [];
    const scene = await openScene({
      publisher: () => ({
        publish: (one) => {
          tried.push(one.channel);
          if (one.channel === 'b') throw new Error('internal detail');
          return Promise.resolve({ messageId: 'm' });
        },
      }),
    });
    const answer = await publish(scene, { name: 'e', channels: ['a', 'b', 'c'] });
    expect(answer).toMatchObject(refused(500, 'internal_error', 'Internal server error'));
    expect(tried).toEqual(['a', 'b', 'c']);
    expect(String(scene.faults)).toContain('internal detail');
  });
});
