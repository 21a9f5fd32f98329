import { describe, expect, it } from 'vitest';
import { ClientV2 } from './client-v2.js';
import { DeltaClient, ways } from './delta-client.js';
import { openRoom, turn, type Room } from './room.js';

const PADDING = 'x'.repeat(380);
const publish = (room: Room, n: number, more: object = {}, channel = 'mkt'): unknown =>
  room.publish(channel, `${PADDING}${n}`, { messageId: `m-${n}`, ...more });
const asset = (room: Room, name: string, n: number, more: object = {}): unknown =>
  room.publish('mkt', JSON.stringify({ asset: name, p: n, padding: PADDING }), more);
const numbers = (got: readonly { readonly text: string }[]): number[] =>
  got.map(({ text }) => Number((JSON.parse(text) as { data: string }).data.slice(PADDING.length)));
const GROUPS = { policy: { channels: { channel_delta_compression: { mkt: { conflation_key: 'asset' } } } } };

describe.each(['fossil', 'xdelta3'])('differences as %s', (algorithm) => {
  it('follow two full messages, and a full one follows ten of them', async () => {
    const room = await openRoom();
    const client = await DeltaClient.connect(room.port);
    client.send('service:enable_delta_compression', { algorithms: [algorithm] });
    const settled = await client.until('service:delta_compression_enabled');
    expect(settled.data).toEqual({ enabled: true, algorithm });
    await client.subscribe('mkt');
    for (let n = 0; n < 14; n += 1) publish(room, n);
    const got = await client.messages();
    expect(ways(got)).toEqual([
      'full 0',
      'full 1',
      ...Array.from({ length: 10 }, (_, n) => `delta ${n + 2}`),
      'full 12',
      'delta 13',
    ]);
    expect(numbers(got)).toEqual(Array.from({ length: 14 }, (_, n) => n));
    expect(got.every(({ text }, n) => text.includes(`"message_id":"m-${n}"`))).toBe(true);
  });

  it('are those of one subscription alone, if that asks for them', async () => {
    const room = await openRoom();
    const client = await DeltaClient.connect(room.port);
    await client.subscribe('mkt', { delta: algorithm });
    const settled = await client.until('service:delta_compression_enabled');
    expect(settled).toMatchObject({ channel: 'mkt', data: { enabled: true, algorithm, channel: 'mkt' } });
    await client.subscribe('other');
    for (let n = 0; n < 3; n += 1) {
      publish(room, n);
      publish(room, n, {}, 'other');
    }
    const got = await client.messages();
    expect(ways(got.filter(({ channel }) => channel === 'mkt'))).toEqual(['full 0', 'full 1', 'delta 2']);
    expect(ways(got.filter(({ channel }) => channel === 'other'))).toEqual(['plain', 'plain', 'plain']);
  });
});

it('one computation serves everybody who holds the base, and there are never more than sixteen kinds', async () => {
  const room = await openRoom();
  const clients: DeltaClient[] = [];
  for (let n = 0; n < 40; n += 1) {
    const client = await DeltaClient.connect(room.port);
    await client.subscribe('mkt', { delta: true });
    clients.push(client);
    await client.messages();
    publish(room, n);
  }
  for (let n = 40; n < 50; n += 1) publish(room, n);
  const frames = await room.metric('delta_compression_delta_messages_total');
  for (const [at, client] of clients.entries()) {
    const got = await client.messages();
    expect(numbers(got)).toEqual(Array.from({ length: 50 - at }, (_, n) => at + n));
  }
  // Of each message at most one frame a kind.
  expect(frames).toBeLessThanOrEqual(50 * 16);
  expect(frames).toBeGreaterThan(50);
});

describe('what has no differences', () => {
  it('is what clients say, what is published so, and encrypted channels', async () => {
    const room = await openRoom();
    const client = await DeltaClient.connect(room.port);
    client.send('service:enable_delta_compression');
    await client.subscribe('mkt');
    await client.subscribe('private-mkt');
    await client.subscribe('private-encrypted-mkt');
    for (let n = 0; n < 3; n += 1) publish(room, n, { mayBeDelta: n !== 1 });
    publish(room, 3);
    expect(ways(await client.messages())).toEqual(['full 0', 'plain', 'full 1', 'delta 2']);
    for (let n = 0; n < 3; n += 1) publish(room, n, {}, 'private-encrypted-mkt');
    expect(ways(await client.messages())).toEqual(['plain', 'plain', 'plain']);
    for (let n = 0; n < 3; n += 1) {
      publish(room, n, {}, 'private-mkt');
      client.send('client-x', PADDING, 'private-mkt');
      expect(ways(await client.messages())).toEqual([n < 2 ? `full ${n}` : `delta ${n}`, 'plain']);
    }
  });

  it('is what other formats and protocol 1 get', async () => {
    const room = await openRoom();
    for (const format of ['messagepack', 'protobuf'] as const) {
      const client = await ClientV2.connect(room.port, format);
      client.send('service:enable_delta_compression', { algorithms: ['fossil'] });
      expect(client.value(await client.until('service:delta_compression_enabled'))).toEqual({
        enabled: false,
      });
      client.subscribe('mkt', { delta: true });
      const settled = await client.until('service:delta_compression_enabled');
      expect(client.value(settled)).toEqual({ enabled: false, channel: 'mkt' });
    }
    const old = await room.connect();
    old.subscribe('mkt');
    await old.until('pusher_internal:subscription_succeeded');
    for (let n = 0; n < 4; n += 1) publish(room, n);
    const news = (await old.heard()).filter(({ event }) => event === 'news');
    expect(news.map((frame) => Object.keys(frame).sort().join())).toEqual(
      Array.from({ length: 4 }, () => 'channel,data,event'),
    );
  });

  it('is everything where settings or the app say so, or the client does', async () => {
    const policy = { channels: { channel_delta_compression: { 'off-*': 'disabled', 'x-*': 'xdelta3' } } };
    const room = await openRoom({ policy });
    const client = await DeltaClient.connect(room.port);
    client.send('service:enable_delta_compression', { algorithms: ['zstd'] });
    expect((await client.until('service:delta_compression_enabled')).data).toEqual({ enabled: false });
    for (const [channel, delta, data] of [
      ['off-a', true, { enabled: false, channel: 'off-a' }],
      ['x-a', true, { enabled: true, algorithm: 'xdelta3', channel: 'x-a' }],
      ['x-b', 'fossil', { enabled: true, algorithm: 'fossil', channel: 'x-b' }],
    ] as const) {
      await client.subscribe(channel, { delta });
      expect((await client.until('service:delta_compression_enabled')).data).toEqual(data);
    }
    client.send('service:enable_delta_compression');
    await client.until('service:delta_compression_enabled');
    await client.subscribe('mkt', { delta: 'none' });
    for (let n = 0; n < 3; n += 1) publish(room, n);
    expect(ways(await client.messages())).toEqual(['plain', 'plain', 'plain']);
  });
});

it('groups have sequences of their own, and one that lost its bases gets full messages', async () => {
  const room = await openRoom(GROUPS);
  const client = await DeltaClient.connect(room.port);
  await client.subscribe('mkt', { delta: true });
  for (let n = 0; n < 3; n += 1) for (const name of ['BTC', 'ETH']) asset(room, name, n);
  room.publish('mkt', 'of no group');
  expect(ways(await client.messages())).toEqual([
    'full 0 BTC',
    'full 0 ETH',
    'full 1 BTC',
    'full 1 ETH',
    'delta 2 BTC',
    'delta 2 ETH',
    'plain',
  ]);
  client.send('service:delta_sync_error', { channel: 'mkt' });
  await client.messages();
  for (let n = 3; n < 6; n += 1) asset(room, 'BTC', n);
  expect(ways(await client.messages())).toEqual(['full 0 BTC', 'full 1 BTC', 'delta 2 BTC']);
});

it('who comes later is shown the latest of each group that it may see, and goes on from there', async () => {
  const room = await openRoom({ ...GROUPS, env: { TAG_FILTERING_ENABLED: 'true' } });
  const first = await DeltaClient.connect(room.port);
  await first.subscribe('mkt', { delta: true });
  for (const [name, region] of [
    ['BTC', 'eu'],
    ['ETH', 'us'],
  ] as const)
    asset(room, name, 1, { tagsText: JSON.stringify({ region }) });
  asset(room, 'DOGE', 1, { extrasText: '{"ephemeral":true}' });
  const filter = { key: 'region', cmp: 'eq', val: 'eu' };
  const client = await DeltaClient.connect(room.port);
  await client.subscribe('mkt', { delta: true, filter });
  const sync = await client.until('service:delta_cache_sync');
  const data = JSON.parse(String(sync.data)) as { conflation_key: string; states: object };
  expect([data.conflation_key, Object.keys(data.states)]).toEqual(['asset', ['BTC']]);
  const tagsText = '{"region":"eu"}';
  for (let n = 2; n < 4; n += 1) for (const name of ['BTC', 'ETH']) asset(room, name, n, { tagsText });
  expect(ways(await client.messages())).toEqual(['full 1 BTC', 'full 0 ETH', 'delta 2 BTC', 'full 1 ETH']);
  expect(ways(await first.messages())).toHaveLength(7);
});

it('a connection holds bases of so many channels; beyond, the one not used for longest begins anew', async () => {
  const room = await openRoom({
    settings: (read) => ({
      ...read,
      delta_compression: { ...read.delta_compression, max_channel_states_per_socket: 2 },
    }),
  });
  const client = await DeltaClient.connect(room.port);
  for (const channel of ['a', 'b', 'c']) {
    await client.subscribe(channel, { delta: true });
    const settled = await client.until('service:delta_compression_enabled');
    expect(settled.data).toEqual({ enabled: true, algorithm: 'fossil', channel });
  }
  const told = async (channels: string): Promise<readonly string[]> => {
    for (const [n, channel] of channels.split('').entries()) {
      publish(room, n, {}, channel);
      // Work queued behind a message is done before the next message of another tick.
      await turn();
    }
    return ways(await client.messages());
  };
  expect(await told('aaabbb')).toEqual(['full 0', 'full 1', 'delta 2', 'full 0', 'full 1', 'delta 2']);
  // The third replaces the first, which replaces the second: the third continues.
  expect(await told('cac')).toEqual(['full 0', 'full 0', 'full 1']);
  expect(await told('acac')).toEqual(['full 1', 'delta 2', 'delta 2', 'delta 3']);
  expect(await told('bac')).toEqual(['full 0', 'full 0', 'full 0']);
});

it('a channel whose bases are shown takes the place of the one not used for longest', async () => {
  const room = await openRoom({
    ...GROUPS,
    settings: (read) => ({
      ...read,
      delta_compression: { ...read.delta_compression, max_channel_states_per_socket: 1 },
    }),
  });
  const [first, client] = [await DeltaClient.connect(room.port), await DeltaClient.connect(room.port)];
  await first.subscribe('mkt', { delta: true });
  asset(room, 'BTC', 1);
  await client.subscribe('a', { delta: true });
  for (let n = 0; n < 3; n += 1) publish(room, n, {}, 'a');
  expect(ways(await client.messages())).toEqual(['full 0', 'full 1', 'delta 2']);
  await client.subscribe('mkt', { delta: true });
  await client.until('service:delta_cache_sync');
  publish(room, 3, {}, 'a');
  expect(ways(await client.messages())).toEqual(['full 0']);
});

it('whoever was left out of a message begins again', async () => {
  const room = await openRoom();
  const [one, other] = [await DeltaClient.connect(room.port), await DeltaClient.connect(room.port)];
  for (const client of [one, other]) await client.subscribe('mkt', { delta: true });
  for (let n = 0; n < 6; n += 1) publish(room, n, n === 3 ? { exceptSocketId: one.socketId } : {});
  expect(ways(await other.messages())).toEqual([
    'full 0',
    'full 1',
    ...[2, 3, 4, 5].map((n) => `delta ${n}`),
  ]);
  const got = await one.messages();
  expect(ways(got)).toEqual(['full 0', 'full 1', 'delta 2', 'full 0', 'full 1']);
  expect(numbers(got)).toEqual([0, 1, 2, 4, 5]);
});

it('subscribing again begins again, with what is asked for then', async () => {
  const room = await openRoom();
  const client = await DeltaClient.connect(room.port);
  await client.subscribe('mkt', { delta: 'fossil' });
  for (let n = 0; n < 3; n += 1) publish(room, n);
  await client.messages();
  await client.subscribe('mkt', { delta: 'xdelta3' });
  for (let n = 3; n < 6; n += 1) publish(room, n);
  expect(ways(await client.messages())).toEqual(['full 0', 'full 1', 'delta 2']);
  client.send('service:unsubscribe', { channel: 'mkt' });
  await client.subscribe('mkt');
  publish(room, 6);
  expect(ways(await client.messages())).toEqual(['plain']);
  expect(await room.counts()).toEqual({ mkt: 1 });
});

it('what a connection enables counts for what it has already, and members keep their place', async () => {
  const room = await openRoom();
  const client = await DeltaClient.connect(room.port);
  await client.subscribe('mkt');
  client.send('service:enable_delta_compression');
  await client.messages();
  for (let n = 0; n < 3; n += 1) publish(room, n);
  expect(ways(await client.messages())).toEqual(['full 0', 'full 1', 'delta 2']);
});
