import type { ReceivedFrame, WireFormat } from '@carillon/protocol';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ClientV2, token } from './client-v2.js';
import { eventually, openRoom } from './room.js';

const FORMATS: readonly WireFormat[] = ['json', 'messagepack', 'protobuf'];
const TAGS = { TAG_FILTERING_ENABLED: 'true' };

const eventsOf = (frames: readonly ReceivedFrame[]): string[] => frames.map(({ event }) => event);
const filter = (val: string): object => ({ filter: { key: 'region', cmp: 'eq', val } });
const UUID = /^[0-9a-f-]{36}$/;

/** Sends the same message twice and another one, in one way: the first is accepted, the last refused. */
async function sayTwice(client: ClientV2, way: { messageId?: string; extras?: object }): Promise<void> {
  client.subscribe('private-a');
  await client.until('service_internal:subscription_succeeded');
  for (const n of [1, 1, 2]) client.send('client-x', { n }, { channel: 'private-a', ...way });
  const error = await client.until('service:error');
  expect(client.value(error)).toMatchObject({ code: 4000 });
  expect(error.channel).toBe('private-a');
  client.send('client-last', {}, { channel: 'private-a' });
  await client.until('client-last');
  expect(eventsOf(client.frames).filter((event) => event === 'client-x')).toHaveLength(1);
}

it('a client event may have its key in its extras, of a bounded length', async () => {
  const room = await openRoom();
  const client = await ClientV2.connect(room.port, 'json');
  await sayTwice(client, { extras: { idempotencyKey: 'key' } });
  for (const idempotencyKey of ['', 'k'.repeat(129)]) {
    client.send('client-x', {}, { channel: 'private-a', extras: { idempotencyKey } });
    expect(client.value(await client.until('service:error'))).toMatchObject({ code: 4000 });
  }
});

describe.each(FORMATS)('protocol 2 in %s', (format) => {
  it('greets, subscribes and delivers with tags, ids and extras', async () => {
    const room = await openRoom();
    const client = await ClientV2.connect(room.port, format);
    expect(client.socketId).toMatch(/^\d+\.\d+$/);
    expect(client.frames[0]?.messageId).toMatch(UUID);
    client.subscribe('orders');
    const joined = await client.until('service_internal:subscription_succeeded');
    expect([client.text(joined), joined.channel]).toEqual(['{}', 'orders']);
    room.publish('orders', '{"id":9}', { messageId: 'm-1', extrasText: '{"headers":{"prio":"high"}}' });
    const news = await client.until('news');
    expect(news).toMatchObject({
      channel: 'orders',
      messageId: 'm-1',
      extrasText: '{"headers":{"prio":"high"}}',
    });
    expect(client.text(news)).toBe('{"id":9}');
    client.send('service:unsubscribe', { channel: 'orders' });
    await client.heard();
    room.publish('orders', 'b');
    expect(await client.heard()).toEqual([]);
  });

  it('answers what is wrong in its own format, and goes on', async () => {
    const room = await openRoom();
    const client = await ClientV2.connect(room.port, format);
    client.subscribe('private-a', { auth: 'shop-key:wrong' });
    const error = await client.until('service:error');
    expect(client.value(error)).toMatchObject({ code: 4009 });
    expect(error.messageId).toMatch(UUID);
    const failed = await client.until('service:subscription_error');
    expect(client.value(failed)).toMatchObject({ type: 'AuthError', status: 401 });
    for (const [data, code] of [
      [{ channel: 'a', filter: { events: 'x' } }, 4000],
      [{ channel: 'bad name!' }, 4300],
      [{}, 4000],
    ] as const) {
      client.send('service:subscribe', data);
      expect(client.value(await client.until('service:error'))).toMatchObject({ code });
    }
    client.send('service:nothing', {});
    client.frames.splice(0);
    client.send('service:ping');
    expect((await client.until('service:pong')).messageId).toBeNull();
  });

  it('takes a client event once for its id, and refuses other content under it', async () => {
    const room = await openRoom();
    const client = await ClientV2.connect(room.port, format);
    await sayTwice(client, { messageId: 'once' });
  });

  it('shows its sender a client event, unless the connection or the event says otherwise', async () => {
    const room = await openRoom();
    const [loud, quiet] = [
      await ClientV2.connect(room.port, format),
      await ClientV2.connect(room.port, format, '&echo_messages=false'),
    ];
    for (const client of [loud, quiet]) {
      client.subscribe('private-a');
      await client.until('service_internal:subscription_succeeded');
      await client.heard();
    }
    loud.send(
      'client-x',
      { n: 1 },
      { channel: 'private-a', messageId: 'mine', extras: { headers: { h: 1.5 } } },
    );
    const [own, other] = [await loud.until('client-x'), await quiet.until('client-x')];
    for (const frame of [own, other]) {
      expect(frame).toMatchObject({
        messageId: 'mine',
        data: { value: { n: 1 } },
        extrasText: '{"headers":{"h":1.5}}',
      });
    }
    quiet.send('client-y', { n: 2 }, { channel: 'private-a' });
    await loud.until('client-y');
    expect(eventsOf(await quiet.heard())).toEqual(['client-x']);
    quiet.send('client-z', { n: 3 }, { channel: 'private-a', extras: { echo: true } });
    await quiet.until('client-z');
    loud.frames.splice(0);
    loud.send('client-w', { n: 4 }, { channel: 'private-a', extras: { echo: false } });
    await quiet.until('client-w');
    expect(eventsOf(await loud.heard()).includes('client-w')).toBe(false);
  });

  it('tells members what one of them says anew, and protocol 1 nothing', async () => {
    const room = await openRoom();
    const old = await room.connect();
    old.subscribe('presence-a', 'ada');
    await old.until('pusher_internal:subscription_succeeded');
    const client = await ClientV2.connect(room.port, format);
    client.subscribe('presence-a', {}, 'bo');
    const joined = await client.until('service_internal:subscription_succeeded');
    expect(JSON.parse(client.text(joined))).toMatchObject({ presence: { ids: ['ada', 'bo'], count: 2 } });
    client.send('service:presence_update', { channel: 'presence-a', data: { status: 'away' } });
    const update = await client.until('service_internal:presence_update');
    expect(client.text(update)).toBe('{"user_id":"bo","user_info":{"status":"away"}}');
    client.send('service:presence_update', { channel: 'presence-a', data: 'x'.repeat(1023) });
    expect(client.value(await client.until('service:error'))).toMatchObject({ code: 40_009 });
    client.send('service:presence_update', { channel: 'orders', data: 1 });
    expect(client.value(await client.until('service:error'))).toMatchObject({ code: 104_009 });
    expect((await old.heard()).map(({ event }) => event)).not.toContain('pusher_internal:presence_update');
  });

  it('is kept what its filter does not accept, and a later one counts from then on', async () => {
    const room = await openRoom({ env: TAGS });
    const client = await ClientV2.connect(room.port, format);
    const publish = (region: string): unknown =>
      room.publish('orders', region, { tagsText: JSON.stringify({ region }) });
    client.subscribe('orders', filter('eu'));
    await client.until('service_internal:subscription_succeeded');
    for (const region of ['eu', 'us']) publish(region);
    client.subscribe('orders', filter('us'));
    await client.until('service_internal:subscription_succeeded');
    for (const region of ['eu', 'us']) publish(region);
    const news = (await client.heard()).filter(({ event }) => event === 'news');
    expect(news.map((frame) => client.text(frame))).toEqual(['eu', 'us']);
    expect(await room.counts()).toEqual({ orders: 1 });
  });
});

describe('a capability token', () => {
  afterEach(() => void vi.useRealTimers());

  it('says what its connection may do, and signatures still count', async () => {
    const room = await openRoom();
    const jwt = token('u-17', { 'room:*': ['subscribe'], 'private-room': ['subscribe'] });
    const client = await ClientV2.connect(room.port, 'json', `&token=${jwt}`);
    client.subscribe('room:5');
    await client.until('service_internal:subscription_succeeded');
    client.subscribe('other');
    expect(client.value(await client.until('service:error'))).toMatchObject({ code: 4009 });
    expect(client.value(await client.until('service:subscription_error'))).toMatchObject({ status: 403 });
    client.subscribe('private-room', { auth: undefined });
    expect(client.value(await client.until('service:subscription_error'))).toMatchObject({ status: 401 });
    room.publish('#server-to-user-u-17', 'hello');
    expect(client.text(await client.until('news'))).toBe('hello');
  });

  it('that is refused closes with its reason', async () => {
    const room = await openRoom();
    const client = await ClientV2.connect(room.port, 'json', '&token=no.such.token');
    expect(await client.untilClose()).toBe(4009);
    expect(client.closeReason).toMatch(/^capability token/);
    const old = await room.connect({ path: '/app/shop-key?protocol=7&token=x' });
    expect(await old.untilClose()).toBe(4009);
  });

  it('is refreshed by its own client alone, and what it permits no more ends', async () => {
    const room = await openRoom();
    const first = token('u-1', { '*': ['subscribe', 'publish'] });
    const client = await ClientV2.connect(room.port, 'json', `&token=${first}`);
    for (const channel of ['a', 'b']) {
      client.subscribe(channel);
      await client.until('service_internal:subscription_succeeded');
    }
    client.send('service:auth', { token: token('u-2', { '*': ['subscribe'] }) });
    expect(client.value(await client.until('service:error'))).toMatchObject({ code: 4009 });
    client.send('service:auth', {});
    expect(client.value(await client.until('service:error'))).toMatchObject({ code: 4000 });
    client.send('service:auth', { token: token('u-1', { a: ['subscribe'] }, { jti: 't-new' }) });
    expect(client.value(await client.until('service:auth_success'))).toMatchObject({
      client_id: 'u-1',
      jti: 't-new',
    });
    const dropped = await client.until('service:subscription_error');
    expect([dropped.channel, client.value(dropped)]).toEqual(['b', expect.objectContaining({ status: 403 })]);
    await eventually(async () => (await room.counts())['b'] === undefined);
    for (const channel of ['a', 'b']) room.publish(channel, channel);
    const news = (await client.heard()).filter(({ event }) => event === 'news');
    expect(news.map(({ channel }) => channel)).toEqual(['a']);
  });

  it('that is revoked ends its connection, and lets nobody in again', async () => {
    const room = await openRoom();
    const jwt = token('u-1', { '*': ['subscribe'] });
    const client = await ClientV2.connect(room.port, 'messagepack', `&token=${jwt}`);
    await client.heard();
    await room.revoke('t-u-1');
    expect(client.value(await client.until('service:token_expired'))).toEqual({
      code: 40_160,
      reason: 'revoked',
    });
    expect(await client.untilClose()).toBe(4009);
    const again = await ClientV2.connect(room.port, 'json', `&token=${jwt}`);
    expect(await again.untilClose()).toBe(4009);
    const other = await ClientV2.connect(room.port, 'json');
    other.send('service:auth', { token: jwt });
    expect(other.value(await other.until('service:error'))).toMatchObject({ code: 4009 });
  });
});

it("speaks with another vendor's word where the settings say so", async () => {
  const room = await openRoom({ env: { PROTOCOL_VENDOR_PREFIX: 'acme' } });
  const client = await ClientV2.connect(room.port, 'json', '', 'acme');
  client.send('acme:subscribe', { channel: 'orders' });
  expect(client.text(await client.until('acme_internal:subscription_succeeded'))).toBe('{}');
  client.send('pusher:ping');
  await client.until('acme:pong');
});

it('filters by names as they are spelled to the client', async () => {
  const env = { PROTOCOL_VENDOR_PREFIX: 'acme', ...TAGS };
  const room = await openRoom({ env });
  const filters = [{ events: ['acme:note'] }, { expression: "event == 'acme:note'" }];
  const clients: ClientV2[] = [];
  for (const one of filters) {
    const client = await ClientV2.connect(room.port, 'json', '', 'acme');
    client.send('acme:subscribe', { channel: 'orders', filter: one });
    await client.until('acme_internal:subscription_succeeded');
    clients.push(client);
  }
  for (const event of ['pusher:other', 'pusher:note']) room.publish('orders', 'x', { event });
  for (const client of clients) {
    // Filters may be evaluated in a later turn of the event loop, in the order of the messages.
    await client.until('acme:note');
    const heard = eventsOf(client.frames).filter((event) => /note|other/.test(event));
    expect(heard).toEqual(['acme:note']);
  }
});

it('leaves protocol 1 beside it as it is, whatever is published', async () => {
  const room = await openRoom();
  const old = await room.connect();
  old.subscribe('orders');
  await old.until('pusher_internal:subscription_succeeded');
  const clients = await Promise.all(FORMATS.map((format) => ClientV2.connect(room.port, format)));
  for (const client of clients) {
    client.subscribe('orders');
    await client.until('service_internal:subscription_succeeded');
  }
  room.publish('orders', 'x', { tagsText: '{"a":"b"}', extrasText: '{"ref":1}', messageId: 'm' });
  for (const client of clients) expect(await client.until('news')).toMatchObject({ messageId: 'm' });
  const news = (await old.heard()).find(({ event }) => event === 'news');
  expect(Object.keys(news ?? {}).toSorted()).toEqual(['channel', 'data', 'event']);
});
