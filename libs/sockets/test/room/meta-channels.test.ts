import type { ReceivedFrame, WireFormat } from '@carillon/protocol';
import { signChannelAuth, prepareSigningKey } from '@carillon/auth';
import { describe, expect, it } from 'vitest';
import { ClientV2, token } from './client-v2.js';
import { eventually, openRoom } from './room.js';

const FORMATS: readonly WireFormat[] = ['json', 'messagepack', 'protobuf'];
const KEY = prepareSigningKey({ appId: 'shop', key: 'shop-key', secret: 'shop-secret' });

/** Frames of meta channels in short. */
const told = (client: ClientV2, frames: readonly ReceivedFrame[]): string[] =>
  frames
    .filter(({ event, channel }) => channel?.startsWith('[meta]') === true && !event.endsWith('succeeded'))
    .map(
      (frame) => `${frame.event.slice('service_internal:'.length)} ${JSON.stringify(client.value(frame))}`,
    );

/** Returns the next frames of meta channels. */
async function next(client: ClientV2, count: number): Promise<string[]> {
  const frames: ReceivedFrame[] = [];
  while (told(client, frames).length < count) {
    const frame = await client.next();
    if (frame === null) throw new Error('closed');
    frames.push(frame);
  }
  return told(client, frames);
}

describe.each(FORMATS)('a meta channel in %s', (format) => {
  it('tells of the first, of each, and of the last one of a channel, however it goes', async () => {
    const room = await openRoom();
    const client = await ClientV2.connect(room.port, format);
    client.subscribe('[meta]orders');
    await client.until('service_internal:subscription_succeeded');
    const [one, other] = [await room.connect(), await ClientV2.connect(room.port, 'json')];
    one.subscribe('orders');
    expect(await next(client, 2)).toEqual([
      'channel_occupied {"channel":"orders","subscription_count":1}',
      'subscription_count {"channel":"orders","subscription_count":1}',
    ]);
    other.subscribe('orders');
    expect(await next(client, 1)).toEqual(['subscription_count {"channel":"orders","subscription_count":2}']);
    other.send('service:unsubscribe', { channel: 'orders' });
    expect(await next(client, 1)).toEqual(['subscription_count {"channel":"orders","subscription_count":1}']);
    one.drop();
    expect(await next(client, 1)).toEqual(['channel_vacated {"channel":"orders","subscription_count":0}']);
    expect(client.frames.every((frame) => !frame.event.includes('vacated') || frame.messageId === null)).toBe(
      true,
    );
  });

  it('tells of members, and protocol 1 has none', async () => {
    const room = await openRoom();
    const client = await ClientV2.connect(room.port, format);
    const member = await ClientV2.connect(room.port, 'json');
    client.subscribe('presence-a', {}, 'bo');
    await client.until('service_internal:subscription_succeeded');
    client.subscribe('[meta]presence-a');
    await client.until('service_internal:subscription_succeeded');
    member.subscribe('presence-a', {}, 'ada');
    const joined = await next(client, 2);
    expect(joined).toContain('member_added {"channel":"presence-a","user_id":"ada"}');
    expect(joined).toContain('subscription_count {"channel":"presence-a","subscription_count":2}');
    member.send('service:presence_update', { channel: 'presence-a', data: { status: 'away' } });
    expect(await next(client, 1)).toEqual(['presence_update {"channel":"presence-a","user_id":"ada"}']);
    member.send('service:unsubscribe', { channel: 'presence-a' });
    expect((await next(client, 2)).sort()).toEqual([
      'member_removed {"channel":"presence-a","user_id":"ada"}',
      'subscription_count {"channel":"presence-a","subscription_count":1}',
    ]);
    const old = await room.connect();
    old.subscribe('[meta]presence-a');
    expect((await old.until('pusher:error')).data).toMatchObject({ code: 4300 });
  });
});

it('needs what its channel needs', async () => {
  const room = await openRoom();
  const client = await ClientV2.connect(room.port, 'json');
  const refused = async (channel: string, more: object = {}): Promise<unknown> => {
    client.send('service:subscribe', { channel, ...more });
    return client.value(await client.until('service:subscription_error'));
  };
  expect(await refused('[meta]private-x')).toMatchObject({ code: 4009, status: 403 });
  expect(await refused('[meta]private-x', { auth: 'shop-key:wrong' })).toMatchObject({ code: 4009 });
  expect(await refused('[meta][meta]x')).toMatchObject({ code: 4300 });
  expect(await refused('[meta]x', { rewind: 1 })).toMatchObject({ code: 4300 });
  const auth = signChannelAuth(KEY, { socketId: client.socketId, channel: '[meta]private-x' });
  client.send('service:subscribe', { channel: '[meta]private-x', auth });
  await client.until('service_internal:subscription_succeeded');
  client.subscribe('private-y');
  await client.until('service_internal:subscription_succeeded');
  client.send('service:subscribe', { channel: '[meta]private-y' });
  await client.until('service_internal:subscription_succeeded');
  const jwt = token('u', { 'private-z': ['subscribe'] });
  const holder = await ClientV2.connect(room.port, 'json', `&token=${jwt}`);
  holder.send('service:subscribe', { channel: '[meta]private-z' });
  await holder.until('service_internal:subscription_succeeded');
  holder.send('service:subscribe', { channel: '[meta]other' });
  expect(holder.value(await holder.until('service:subscription_error'))).toMatchObject({ code: 4009 });
});

it('is no channel to anybody else: neither counted nor listed, and nothing of it is left behind', async () => {
  const room = await openRoom();
  const [client, other] = [await ClientV2.connect(room.port, 'json'), await room.connect()];
  other.subscribe('orders');
  await other.until('pusher_internal:subscription_succeeded');
  client.subscribe('[meta]orders');
  await client.until('service_internal:subscription_succeeded');
  // Existing channels are not reported.
  expect(told(client, await client.heard())).toEqual([]);
  expect(await room.counts()).toEqual({ orders: 1 });
  await eventually(async () => (await room.channelCounts.occupied()).size === 1);
  expect([...(await room.channelCounts.occupied()).keys()]).toEqual(['orders']);
  client.close();
  other.drop();
  await room.expectNothingLeft();
});
