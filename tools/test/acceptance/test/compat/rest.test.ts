import { createCipheriv, createHash, createHmac, randomBytes } from 'node:crypto';
import * as Ably from 'ably';
import { expect, it } from 'vitest';
import { onServer } from '../harness/every-app.js';
import { openTenant } from '../harness/tenant.js';
import { keyOf, tokenRequest } from './key.js';

const shop = openTenant('shop', { history: { enabled: true } });
const env = { HISTORY_ENABLED: 'true', HISTORY_BACKEND: 'memory' };
const READER = { key: 'shop.reader', secret: 'r3ader' };
const OFF = { key: 'shop.off', secret: '0ff' };
const DAY_MS = 86_400_000;

const config = {
  compat: {
    enabled: true,
    // Connections go elsewhere, and REST does not mind.
    realtime_admission: 'placement_constraint',
    keys: [
      { app_id: 'shop', key_name: READER.key, secret: READER.secret, capability: '{"chat:*":["subscribe"]}' },
      { app_id: 'shop', key_name: OFF.key, secret: OFF.secret, enabled: false },
    ],
  },
};

const basic = (key: string): string => `Basic ${Buffer.from(key).toString('base64')}`;
const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function jwt(header: object, claims: object, secret: string): string {
  const text = `${part(header)}.${part(claims)}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

/** In a wrapper that only the key can open. */
function sealed(token: string, { key, secret }: { readonly key: string; readonly secret: string }): string {
  const head = part({ alg: 'dir', enc: 'A256GCM', cty: 'JWT', kid: key });
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', createHash('sha256').update(secret).digest(), iv);
  cipher.setAAD(Buffer.from(head));
  const text = Buffer.concat([cipher.update(token), cipher.final()]);
  return [head, '', ...[iv, text, cipher.getAuthTag()].map((one) => one.toString('base64url'))].join('.');
}

const codeOf = async (answer: Promise<Response> | Response): Promise<number> => {
  const response = await answer;
  expect(response.headers.get('content-type')).toBe('application/json');
  const { error } = (await response.json()) as { error: { code: number; statusCode: number } };
  expect(response.headers.get('x-ably-errorcode')).toBe(String(error.code));
  expect(response.status).toBe(error.statusCode);
  return error.code;
};

onServer('REST for Ably clients', { tenants: [shop], config, env }, (node) => {
  const url = (path: string): string => `http://127.0.0.1:${node.port}${path}`;
  const rest = (useBinaryProtocol: boolean): Ably.Rest =>
    new Ably.Rest({
      key: keyOf(shop),
      endpoint: '127.0.0.1',
      port: node.port,
      tls: false,
      useBinaryProtocol,
    });
  const get = (path: string, authorization: string): Promise<Response> =>
    fetch(url(path), { headers: { authorization } });
  const ask = (path: string, body: object, authorization = ''): Promise<Response> =>
    fetch(url(path), {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
    });
  const publish = (channel: string, body: object): Promise<Response> =>
    ask(`/channels/${channel}/messages`, body, basic(keyOf(shop)));
  const request = (body: object, key = shop.key): Promise<Response> => ask(`/keys/${key}/requestToken`, body);

  const reads = (token: string, channel = 'chat:x'): Promise<Response> =>
    get(`/channels/${channel}/messages`, `Bearer ${token}`);

  it('tells the time to anybody', async () => {
    const answer = await fetch(url('/time'));
    const [now] = (await answer.json()) as [number];
    expect(Math.abs(now - Date.now())).toBeLessThan(1000);
  });

  it.each([true, false])('publishes and reads back, page by page (binary: %s)', async (binary) => {
    const channel = rest(binary).channels.get(`chat:${binary}`);
    for (const n of [1, 2, 3, 4, 5]) await channel.publish(`n${n}`, { n });
    const first = await channel.history({ limit: 2 });
    expect(first.items.map(({ data }) => data as unknown)).toEqual([{ n: 5 }, { n: 4 }]);
    const second = await first.next();
    const third = await second?.next();
    expect(second?.items.map(({ name }) => name)).toEqual(['n3', 'n2']);
    expect(third?.items.map(({ name }) => name)).toEqual(['n1']);
    expect(third?.hasNext()).toBe(false);
  });

  it('keeps binary data binary', async () => {
    const channel = rest(true).channels.get('binary');
    await channel.publish('b', Buffer.from([0, 1, 255]));
    const { items } = await channel.history();
    expect(Buffer.from(items[0]?.data as Uint8Array)).toEqual(Buffer.from([0, 1, 255]));
  });

  it('publishes a message once for its id', async () => {
    const messages = [
      { id: 'x:0', data: 'a' },
      { id: 'x:1', data: 'b' },
    ];
    const [one, again] = [await publish('once', messages), await publish('once', messages)];
    expect([one.status, again.status]).toEqual([201, 201]);
    expect(await again.json()).toEqual(await one.json());
    expect((await rest(false).channels.get('once').history()).items).toHaveLength(2);
    expect(await codeOf(publish('once', [...messages].reverse()))).toBe(40_031);
    expect(await codeOf(publish('once', [{ id: 'x:0', data: 'other' }]))).toBe(40_031);
  });

  it('refuses what cannot be published, all of it', async () => {
    expect(await codeOf(publish('refused', []))).toBe(40_000);
    expect(await codeOf(publish('refused', [{ data: 'ok' }, { data: 'a'.repeat(65_537) }]))).toBe(40_009);
    expect(await codeOf(publish('refused', { extras: { what: 1 } }))).toBe(40_032);
    expect(await codeOf(publish('refused', { serial: '1' }))).toBe(40_000);
    expect((await rest(false).channels.get('refused').history()).items).toHaveLength(0);
  });

  it('tells of each channel of a batch', async () => {
    const reader = new Ably.Rest({ key: keyOf(shop), endpoint: '127.0.0.1', port: node.port, tls: false });
    const results = await reader.batchPublish([{ channels: ['a', '[meta]b'], messages: [{ data: 'x' }] }]);
    expect(results[0]).toMatchObject({ successCount: 1, failureCount: 1 });
    const whole = await ask(
      '/messages',
      { channels: ['[meta]b'], messages: { data: 'x' } },
      basic(keyOf(shop)),
    );
    expect(await whole.json()).toMatchObject({
      error: { code: 40_020 },
      batchResponse: [{ channel: '[meta]b', error: { code: 40_010 } }],
    });
    const channels = Array.from({ length: 101 }, (_one, index) => `c${index}`);
    expect(await codeOf(ask('/messages', [{ channels, messages: [{}] }], basic(keyOf(shop))))).toBe(40_000);
  });

  it('says that a batch failed in part as it says every error, whatever format is asked for', async () => {
    const answer = await fetch(url('/messages?format=msgpack'), {
      method: 'POST',
      headers: { authorization: basic(keyOf(shop)), 'content-type': 'application/json' },
      body: JSON.stringify({ channels: ['[meta]b'], messages: { data: 'x' } }),
    });
    expect(answer.status).toBe(400);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.headers.get('x-ably-errorcode')).toBe('40020');
    expect(await answer.json()).toHaveProperty('batchResponse');
  });

  it('gives a token for a signed request once', async () => {
    const body = tokenRequest(shop, { clientId: 'ada', ttl: '3600000' });
    expect(await codeOf(request({ ...body, mac: `x${String(body['mac']).slice(1)}` }))).toBe(40_101);
    const granted = (await (await request(body)).json()) as {
      expires: number;
      issued: number;
      token: string;
    };
    expect(granted.expires - granted.issued).toBe(3_600_000);
    expect(await codeOf(request(body))).toBe(40_105);
    const bearer = `Bearer ${Buffer.from(granted.token).toString('base64')}`;
    expect((await get('/channels/a/messages', bearer)).status).toBe(200);
    const other = await fetch(url('/channels/a/messages'), {
      headers: { authorization: bearer, 'x-ably-clientid': Buffer.from('bob').toString('base64') },
    });
    expect(await codeOf(other)).toBe(40_102);
  });

  it('refuses requests for tokens in the order of checks', async () => {
    const at = (offset: number): object => tokenRequest(shop, { timestamp: Date.now() + offset });
    expect(await codeOf(request(at(-920_000)))).toBe(40_104);
    expect((await request(at(-880_000))).status).toBe(200);
    expect(await codeOf(request(tokenRequest(shop, { ttl: DAY_MS + 1 })))).toBe(40_000);
    expect(await codeOf(request(tokenRequest(shop, { clientId: '' })))).toBe(40_012);
    const beyond = tokenRequest(READER, { capability: '{"orders":["publish"]}' });
    expect(await codeOf(request(beyond, READER.key))).toBe(40_160);
  });

  it('tells wrong, disabled and missing credentials apart', async () => {
    const path = '/channels/a/messages';
    expect(await codeOf(fetch(url(path)))).toBe(40_140);
    expect(await codeOf(get(path, basic(`${shop.key}:wrong`)))).toBe(40_101);
    expect(await codeOf(get(path, basic(`${OFF.key}:${OFF.secret}`)))).toBe(40_133);
    expect(await codeOf(get(path, basic(`${OFF.key}:wrong`)))).toBe(40_101);
    expect(await codeOf(get(path, 'Bearer dDEuTWFkZVVw'))).toBe(40_143);
    expect(await codeOf(get('/channels/orders/messages', basic(`${READER.key}:${READER.secret}`)))).toBe(
      40_160,
    );
  });

  it('takes a JWT, unless it is unsigned', async () => {
    const iat = Math.floor(Date.now() / 1000);
    const header = { alg: 'HS256', typ: 'JWT', kid: shop.key };
    const claims = { iat, exp: iat + 60, 'x-ably-capability': '{"chat:*":["history"]}' };
    const token = jwt(header, claims, shop.secret);
    expect((await get('/channels/chat:x/messages', `Bearer ${token}`)).status).toBe(200);
    expect(await codeOf(get('/channels/orders/messages', `Bearer ${token}`))).toBe(40_160);
    const unsigned = jwt({ ...header, alg: 'none' }, claims, shop.secret);
    expect(await codeOf(get('/channels/chat:x/messages', `Bearer ${unsigned}`))).toBe(40_144);
    const expired = jwt(header, { ...claims, iat: iat - 120, exp: iat - 60 }, shop.secret);
    expect(await codeOf(get('/channels/chat:x/messages', `Bearer ${expired}`))).toBe(40_142);
  });

  it('takes a JWT around another token, also one that only the key can read, and nothing deeper', async () => {
    const iat = Math.floor(Date.now() / 1000);
    const header = { alg: 'HS256', kid: shop.key };
    const claims = { iat, exp: iat + 60 };
    const inner = jwt(header, { ...claims, 'x-ably-capability': '{"chat:*":["history"]}' }, shop.secret);
    const around = (token: string, exp = iat + 60): string =>
      jwt(header, { iat, exp, 'x-ably-token': token }, shop.secret);
    expect((await reads(around(inner))).status).toBe(200);
    expect(await codeOf(reads(around(inner), 'orders'))).toBe(40_160);
    expect(await codeOf(reads(around(inner, iat + 61)))).toBe(40_144);
    expect(await codeOf(reads(around(around(inner))))).toBe(40_144);
    expect(await codeOf(reads(around('unknown')))).toBe(40_143);
    expect((await reads(sealed(around(inner), shop))).status).toBe(200);
    expect(await codeOf(reads(sealed(inner, shop)))).toBe(40_144);
  });

  it('sends connections to other places (case 32)', async () => {
    const socket = await node.upgrade(`/?key=${keyOf(shop)}`);
    const said: unknown = JSON.parse(await socket.nextText());
    expect(said).toMatchObject({ action: 6, error: { code: 50_320, statusCode: 503 } });
    expect(await socket.closeCode()).toBe(1000);
    socket.destroy();
  });

  it('answers in the format that is asked for', async () => {
    const accept = { authorization: basic(keyOf(shop)), accept: 'application/x-msgpack' };
    const packed = await fetch(url('/channels/a/messages'), { headers: accept });
    expect(packed.headers.get('content-type')).toBe('application/x-msgpack');
    const json = await fetch(url('/channels/a/messages?format=json'), { headers: accept });
    expect(json.headers.get('content-type')).toBe('application/json');
  });

  it('knows types in capitals, and none that only begins like one of its own', async () => {
    const key = { authorization: basic(keyOf(shop)) };
    const typed = (headers: Record<string, string>, body: Uint8Array<ArrayBuffer>): Promise<Response> =>
      fetch(url('/channels/a/messages'), { method: 'POST', headers: { ...key, ...headers }, body });
    const emptyMap = Uint8Array.of(0x80);
    const packed = await typed({ 'content-type': 'Application/X-MsgPack' }, emptyMap);
    expect([packed.status, packed.headers.get('content-type')]).toEqual([201, 'application/x-msgpack']);
    const accepts = { 'content-type': 'application/json', accept: 'Application/X-MsgPack' };
    const answered = await typed(accepts, Buffer.from('{}'));
    expect(answered.headers.get('content-type')).toBe('application/x-msgpack');
    const others = { ...accepts, accept: 'application/jsonlines, application/x-msgpack' };
    const second = await typed(others, Buffer.from('{}'));
    expect(second.headers.get('content-type')).toBe('application/x-msgpack');
  });

  it('links pages by the last word of the path, however it ends', async () => {
    const answer = await get('/channels/a/messages/?limit=1', basic(keyOf(shop)));
    expect(answer.headers.get('link')).toContain('<./messages?limit=1>; rel="first"');
  });

  it('knows names that no other client can use, and refuses what is none', async () => {
    const key = basic(keyOf(shop));
    const status = await get(`/channels/${encodeURIComponent('a name')}`, key);
    expect(await status.json()).toMatchObject({ channelId: 'a name', status: { isActive: false } });
    expect(await codeOf(get('/channels/[meta]x', key))).toBe(40_010);
    expect(await codeOf(get(`/channels/${'x'.repeat(2049)}`, key))).toBe(40_010);
    expect(await codeOf(get(`/channels/${encodeURIComponent('#server-to-user-ada')}`, key))).toBe(40_010);
  });
});

onServer('without REST for Ably clients', { tenants: [shop] }, (node) => {
  it('has none of its routes', async () => {
    const answer = await fetch(`http://127.0.0.1:${node.port}/time`);
    expect(answer.status).toBe(404);
  });
});
