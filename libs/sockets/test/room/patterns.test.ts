import type { WireFormat } from '@carillon/protocol';
import { describe, expect, it } from 'vitest';
import { ClientV2, token } from './client-v2.js';
import { DeltaClient, ways } from './delta-client.js';
import { Hold } from './ports.js';
import { openRoom } from './room.js';

const FORMATS: readonly WireFormat[] = ['json', 'messagepack', 'protobuf'];
const filter = (val: string): object => ({ filter: { key: 'region', cmp: 'eq', val } });

describe.each(FORMATS)('a pattern in %s', (format) => {
  it('brings what is published to public channels that fit, under their own names', async () => {
    const room = await openRoom();
    const client = await ClientV2.connect(room.port, format);
    for (const pattern of ['news.*', '*']) {
      client.subscribe(pattern);
      expect((await client.until('service_internal:subscription_succeeded')).channel).toBe(pattern);
    }
    for (const channel of [
      'news.eu',
      'private-news.eu',
      'presence-a',
      'cache-x',
      '#server-to-user-u',
      'other',
    ]) {
      room.publish(channel, 'x');
    }
    const heard = await client.heard();
    const news = heard.filter(({ event }) => event === 'news').map(({ channel }) => channel);
    // Last events are stored first.
    expect(news.sort()).toEqual(['cache-x', 'news.eu', 'other']);
    client.send('service:unsubscribe', { channel: '*' });
    await client.heard();
    room.publish('other', 'y');
    room.publish('news.us', 'y');
    expect((await client.heard()).map(({ channel }) => channel)).toEqual(['news.us']);
    expect(await room.counts()).toEqual({});
  });
});

it('brings a message once, if any view of it lets it through', async () => {
  const room = await openRoom({ env: { TAG_FILTERING_ENABLED: 'true' } });
  const client = await ClientV2.connect(room.port, 'json');
  for (const [channel, more] of [
    ['news.eu', filter('eu')],
    ['news.*', filter('us')],
    ['*.eu', filter('us')],
  ] as const) {
    client.subscribe(channel, more);
    await client.until('service_internal:subscription_succeeded');
  }
  for (const region of ['eu', 'us', 'asia']) {
    room.publish('news.eu', region, { tagsText: JSON.stringify({ region }) });
    room.publish('news.eu', 'without me', { tagsText: '{"region":"us"}', exceptSocketId: client.socketId });
  }
  const news = (await client.heard()).filter(({ event }) => event === 'news');
  expect(news.map((frame) => client.text(frame))).toEqual(['eu', 'us']);
});

it('is refused where it is malformed, not permitted, or has a past, and by protocol 1', async () => {
  const room = await openRoom();
  const client = await ClientV2.connect(
    room.port,
    'json',
    `&token=${token('u', { 'orders.*': ['subscribe'] })}`,
  );
  for (const [data, code, status] of [
    [{ channel: 'a.*.*' }, 4300, 400],
    [{ channel: 'private-*' }, 4300, 400],
    [{ channel: 'orders.*', rewind: 2 }, 4300, 400],
    [{ channel: 'orders.*', modes: ['ANNOTATION_SUBSCRIBE'] }, 4300, 400],
    [{ channel: 'other.*' }, 4009, 403],
  ] as const) {
    client.send('service:subscribe', data);
    expect(client.value(await client.until('service:subscription_error'))).toMatchObject({ code, status });
  }
  client.subscribe('orders.*');
  await client.until('service_internal:subscription_succeeded');
  client.send('service:auth', { token: token('u', { 'orders.eu': ['subscribe'] }, { jti: 't-2' }) });
  expect((await client.until('service:subscription_error')).channel).toBe('orders.*');
  room.publish('orders.eu', 'x');
  expect((await client.heard()).filter(({ event }) => event === 'news')).toEqual([]);
  const old = await room.connect();
  old.subscribe('news.*');
  expect((await old.until('pusher:error')).data).toMatchObject({ code: 4300 });
});

it('leaves nothing behind, and is one of the subscriptions a connection may have', async () => {
  const room = await openRoom({ env: { WEBSOCKET_MAX_SUBSCRIPTIONS_PER_CONNECTION: '2' } });
  const client = await ClientV2.connect(room.port, 'json');
  for (const channel of ['a.*', 'b', 'a.*']) {
    client.subscribe(channel);
    await client.until('service_internal:subscription_succeeded');
  }
  client.subscribe('c.*');
  expect(client.value(await client.until('service:error'))).toMatchObject({ code: 4301 });
  client.close();
  await room.expectNothingLeft();
});

it('has no differences of its own, and lends its wish to channels that it fits', async () => {
  const room = await openRoom();
  const client = await DeltaClient.connect(room.port);
  await client.subscribe('mkt.*', { delta: 'xdelta3' });
  const settled = await client.until('service:delta_compression_enabled');
  expect(settled.data).toEqual({ enabled: true, algorithm: 'xdelta3', channel: 'mkt.*' });
  const publish = (n: number): unknown => room.publish('mkt.a', `${'x'.repeat(300)}${n}`);
  for (let n = 0; n < 3; n += 1) publish(n);
  expect(ways(await client.messages())).toEqual(['plain', 'plain', 'plain']);
  await client.subscribe('mkt.a');
  for (let n = 0; n < 3; n += 1) publish(n);
  expect(ways(await client.messages())).toEqual(['full 0', 'full 1', 'delta 2']);
});

it('brings what comes while the channel itself is joined, which then does not bring it again', async () => {
  const room = await openRoom();
  const client = await ClientV2.connect(room.port, 'json');
  client.subscribe('news.*');
  await client.until('service_internal:subscription_succeeded');
  const hold = new Hold();
  room.broker.confirm = () => hold;
  client.subscribe('news.eu');
  await client.heard();
  room.publish('news.eu', '1');
  hold.release();
  await client.until('service_internal:subscription_succeeded');
  room.publish('news.eu', '2');
  client.send('service:unsubscribe', { channel: 'news.eu' });
  room.publish('news.eu', '3');
  const news = [...client.frames, ...(await client.heard())].filter(({ event }) => event === 'news');
  expect([...new Set(news)].map((frame) => client.text(frame))).toEqual(['1', '2', '3']);
});

it('tells how many have a channel that fits, where the app wants that told', async () => {
  const room = await openRoom({ policy: { features: { enable_subscription_count_events: true } } });
  const [client, other] = [await ClientV2.connect(room.port, 'json'), await room.connect()];
  client.subscribe('news.*');
  await client.until('service_internal:subscription_succeeded');
  other.subscribe('news.eu');
  const told = await client.until('service_internal:subscription_count');
  expect([told.channel, client.text(told)]).toEqual(['news.eu', '{"subscription_count":1}']);
});
