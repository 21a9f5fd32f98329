import { randomUUID } from 'node:crypto';
import type { LiveEvent } from '@carillon/broker';
import { ONLINE_USERS, type Presentation } from '@carillon/presence';
import { describe, expect, it } from 'vitest';
import { Hold } from './ports.js';
import { CUT_OFF, openRoom, type Room } from './room.js';

const sharedRoom = (): Promise<Room> => openRoom({ env: { ADAPTER_DRIVER: 'nats', CACHE_DRIVER: 'redis' } });
const CHANNEL = 'presence-a';
const at = (userId: string): Presentation => ({
  appId: 'shop',
  channel: CHANNEL,
  userId,
  userInfoText: '{}',
  socketId: `9.${userId}`,
});

/** Everything that presence decides reaches this process too; `quietly` changes the store as others do unheard. */
async function quietly(room: Room, change: () => Promise<unknown>): Promise<LiveEvent[]> {
  const { broker } = room;
  const publish = broker.publish.bind(broker);
  const unheard: LiveEvent[] = [];
  broker.publish = (event) => void unheard.push(event);
  try {
    await change();
  } finally {
    broker.publish = publish;
  }
  return unheard;
}

/** Delivers an event of another process. */
const arrive = (room: Room, event: LiveEvent): void =>
  room.broker.listener?.deliver({ ...event, eventId: randomUUID() });

const short = (lines: readonly string[]): string[] =>
  lines.map((line) => /^(\w+) .*?"user_id":"(\w+)"/.exec(line)?.slice(1).join(' ') ?? line);

async function subscribed(room: Room, user: string) {
  const client = await room.connect();
  client.subscribe(CHANNEL, user);
  await client.until('pusher_internal:subscription_succeeded');
  return client;
}

describe('members of other processes', () => {
  it('are told of once, whatever order word of them comes in', async () => {
    const room = await sharedRoom();
    const client = await subscribed(room, 'me');
    client.frames.splice(0);
    const [came] = await quietly(room, () => room.presence.join(at('ada'), Infinity));
    const [went] = await quietly(room, () => room.presence.leave(at('ada'), 0, 'left', '"bye"'));
    // Includes the details sent to protocols that show them.
    expect(went?.fact).toMatchObject({ kind: 'member_removed', userInfoText: '"bye"', socketId: '9.ada' });
    if (came === undefined || went === undefined) throw new Error('nothing was announced');
    for (const event of [went, came, went]) arrive(room, event);
    const [again] = await quietly(room, () => room.presence.join(at('ada'), Infinity));
    if (again === undefined) throw new Error('nothing was announced');
    for (const event of [again, came, went, again]) arrive(room, event);
    expect(short(await client.news())).toEqual(['member_added ada']);
  });

  it('never see themselves leave while they have a socket here, and hear what follows', async () => {
    const room = await sharedRoom();
    const [me, also, you] = [
      await subscribed(room, 'me'),
      await subscribed(room, 'me'),
      await subscribed(room, 'you'),
    ];
    for (const client of [me, also, you]) await client.news();
    const gone = async (socketId: string) =>
      quietly(room, () => room.presence.leave({ ...at('me'), socketId }, 0, 'orphan_cleanup'));
    const events = [...(await gone(me.socketId)), ...(await gone(also.socketId))];
    for (const event of events) arrive(room, event);
    const again = { ...at('me'), socketId: me.socketId };
    for (const event of await quietly(room, () => room.presence.join(again, Infinity))) arrive(room, event);
    await room.presence.join(at('ada'), Infinity);
    expect(short(await me.news())).toEqual(['member_added ada']);
    expect(short(await also.news())).not.toContain('member_removed me');
    expect(short(await you.news())).toEqual(['member_removed me', 'member_added me', 'member_added ada']);
  });

  it('are told of to those who are here when a newcomer is shown them first', async () => {
    const room = await sharedRoom();
    const first = await subscribed(room, 'me');
    await first.news();
    const [came] = await quietly(room, () => room.presence.join(at('ada'), Infinity));
    const second = await subscribed(room, 'you');
    second.frames.splice(0);
    if (came !== undefined) arrive(room, came);
    expect(short(await first.news()).sort()).toEqual(['member_added ada', 'member_added you']);
    expect(short(await second.news())).toEqual([]);
  });

  it('who go while a newcomer waits for its answer are told to have gone', async () => {
    const room = await sharedRoom();
    await subscribed(room, 'me');
    await room.presence.join(at('ada'), Infinity);
    const hold = new Hold();
    room.presence.afterJoin = () => hold.settled;
    const client = await room.connect();
    client.subscribe(CHANNEL, 'you');
    await client.heard();
    await room.presence.leave(at('ada'), 0, 'left');
    hold.release();
    const shown = await client.until('pusher_internal:subscription_succeeded');
    expect(String(shown.data)).toContain('ada');
    client.frames.splice(0);
    expect(short(await client.news())).toEqual(['member_removed ada']);
  });

  it('who came and went while the broker was out of reach are told of when it is back', async () => {
    const room = await sharedRoom();
    await room.presence.join(at('ada'), Infinity);
    const client = await subscribed(room, 'me');
    client.frames.splice(0);
    room.broker.listener?.outOfReach?.(0, CUT_OFF);
    await quietly(room, () => room.presence.join(at('bo'), Infinity));
    const gone = await quietly(room, () => room.presence.leave(at('ada'), 0, 'left'));
    room.broker.listener?.inReachAgain?.();
    expect((await client.until('pusher_internal:member_added')).data).toContain('bo');
    // A late event counts: the check missed the user only temporarily.
    for (const event of gone) arrive(room, event);
    client.frames.splice(0);
    expect(short(await client.news())).toEqual(['member_removed ada']);
  });

  it('of whom nobody told while the store was away are told of when it is mended', async () => {
    const room = await sharedRoom();
    const client = await subscribed(room, 'me');
    client.frames.splice(0);
    await quietly(room, () => room.presence.join(at('bo'), Infinity));
    room.presence.mended();
    expect(short(await client.news())).toEqual(['member_added bo']);
  });

  it('are told of by this process when the broker takes it, though it did not before', async () => {
    const room = await sharedRoom();
    await subscribed(room, 'me');
    const reach = new Hold();
    room.broker.reach = () => reach;
    room.broker.listener?.outOfReach?.(0, CUT_OFF);
    await room.presence.join(at('ada'), Infinity);
    reach.fail();
    await new Promise((resolve) => void setImmediate(resolve));
    room.broker.reach = () => null;
    const again = await quietly(room, async () => room.broker.listener?.inReachAgain?.());
    expect(again.map(({ fact }) => fact)).toMatchObject([
      { kind: 'member_added', member: { userId: 'ada' } },
    ]);
  });
});

describe('watched users of other processes', () => {
  it('are told of once, whatever order word of them comes in', async () => {
    const room = await sharedRoom();
    const client = await room.connect();
    client.signin('me', { watchlist: ['ada', 'bo'] });
    await client.until('pusher_internal:watchlist_events');
    client.frames.splice(0);
    const ada = { ...at('ada'), channel: ONLINE_USERS };
    const [came] = await quietly(room, () => room.presence.join(ada, Infinity));
    const [went] = await quietly(room, () => room.presence.leave(ada, 0, 'left'));
    const [again] = await quietly(room, () => room.presence.join(ada, Infinity));
    if (came === undefined || went === undefined || again === undefined)
      throw new Error('nothing was announced');
    for (const event of [went, came, again, went, came]) arrive(room, event);
    const lines = await client.news();
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('"online"');
  });
});

describe('subscribers of other processes', () => {
  it('who came while the broker was out of reach are counted when it is back, and older counts are dropped', async () => {
    const room = await openRoom({
      env: { ADAPTER_DRIVER: 'nats', CACHE_DRIVER: 'redis' },
      policy: { features: { enable_subscription_count_events: true } },
    });
    const client = await room.connect();
    client.subscribe('orders');
    await client.until('pusher_internal:subscription_count');
    const old = await quietly(room, async () => {
      room.channelCounts.tell('shop', 'orders', 1);
      await new Promise((resolve) => void setTimeout(resolve, 1200));
    });
    client.frames.splice(0);
    room.channelCounts.others.set('orders', 2);
    room.channelCounts.tell('other', 'orders', 1);
    room.broker.listener?.inReachAgain?.();
    const { data } = await client.until('pusher_internal:subscription_count');
    expect(data).toContain('3');
    for (const event of old) arrive(room, event);
    room.broker.listener?.inReachAgain?.();
    client.frames.splice(0);
    expect([old.length, await client.news()]).toEqual([1, []]);
  });
});

it('a look at the store that fails is tried again', async () => {
  const room = await sharedRoom();
  const client = await subscribed(room, 'me');
  const look = room.presence.look.bind(room.presence);
  room.presence.look = () => Promise.reject(new Error('the store is away'));
  await quietly(room, () => room.presence.join(at('ada'), Infinity));
  room.broker.listener?.inReachAgain?.();
  await new Promise((resolve) => void setImmediate(resolve));
  room.presence.look = look;
  expect((await client.until('pusher_internal:member_added')).data).toContain('ada');
});
