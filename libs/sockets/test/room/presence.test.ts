import { PresenceUnavailable, type Presentation } from '@carillon/presence';
import { describe, expect, it } from 'vitest';
import type { Client } from './client.js';
import { Hold } from './ports.js';
import { openRoom, type Room, turn } from './room.js';

const LOBBY = 'presence-lobby';

/** Returns a room whose presence store waits for the test: before the decision on a join, or before its answer. */
async function slowPresence(when: 'beforeJoin' | 'afterJoin'): Promise<{ room: Room; hold: Hold }> {
  const room = await openRoom();
  const hold = new Hold();
  room.presence[when] = ({ channel }) => (channel === LOBBY ? hold.settled : undefined);
  return { room, hold };
}

/** A member on another process. */
const elsewhere = (userId: string): Presentation => ({
  appId: 'shop',
  channel: LOBBY,
  userId,
  userInfoText: '{}',
  socketId: `9.${userId.length}`,
});

async function join(room: Room, user: string): Promise<Client> {
  const client = await room.connect();
  client.subscribe(LOBBY, user);
  await client.until('pusher_internal:subscription_succeeded');
  client.frames.length = 0;
  return client;
}

const ids = (client: Client): readonly string[] => {
  const answer = client.frames.find(({ event }) => event === 'pusher_internal:subscription_succeeded');
  return (JSON.parse(String(answer?.data)) as { presence: { ids: string[] } }).presence.ids;
};

describe('members of a presence channel', () => {
  it('are users: told of once with the first connection, and once when the last has gone', async () => {
    const room = await openRoom();
    const watcher = await join(room, 'watcher');
    const [one, two] = [await join(room, 'ada'), await join(room, 'ada')];
    expect(await watcher.news()).toEqual([`member_added ${LOBBY} {"user_id":"ada","user_info":{}}`]);
    expect(await one.news()).toEqual([]);
    one.unsubscribe(LOBBY);
    await one.heard();
    expect(await watcher.news()).toEqual([]);
    two.close();
    await room.settled(2);
    expect(await watcher.news()).toEqual([`member_removed ${LOBBY} {"user_id":"ada"}`]);
    expect(await room.members(LOBBY)).toEqual(['watcher']);
    watcher.close();
    one.close();
    await room.expectNothingLeft();
    expect(await room.members(LOBBY)).toEqual([]);
  });

  it('are as many as the app allows; who is there already comes in again', async () => {
    const room = await openRoom({ policy: { limits: { max_presence_members_per_channel: 2 } } });
    const clients = [await join(room, 'ada'), await join(room, 'bob'), await join(room, 'ada')];
    const late = await room.connect();
    late.subscribe(LOBBY, 'eve');
    expect(await late.news()).toEqual([
      `error ${LOBBY} {"code":4100,"message":"The channel has too many members"}`,
      `subscription_error ${LOBBY} {"type":"SubscriptionError","error":"The channel has too many members","status":503,"code":4100}`,
    ]);
    expect(await room.counts()).toEqual({ [LOBBY]: 3 });
    await room.publish(LOBBY, 'secret');
    expect(await late.news()).toEqual([]);
    // A repeated subscribe of a member is never too many.
    await clients[0]?.news();
    clients[0]?.subscribe(LOBBY, 'ada');
    expect((await clients[0]?.news())?.[0]).toContain('subscription_succeeded');
    for (const client of [...clients, late]) client.close();
    await room.expectNothingLeft();
  });

  it('who sign in join without channel_data, with the info of the sign-in', async () => {
    const room = await openRoom();
    const client = await room.connect();
    client.signin('ada', { user_info: { name: 'Ada' } });
    client.subscribe(LOBBY);
    await client.heard();
    expect(client.frames.at(-1)?.data).toBe(
      '{"presence":{"ids":["ada"],"hash":{"ada":{"name":"Ada"}},"count":1}}',
    );
    client.close();
    await room.expectNothingLeft();
  });

  it('may be another user in each channel, and leave as who they were there', async () => {
    const room = await openRoom();
    const client = await room.connect();
    client.subscribe('presence-a', 'ada');
    client.subscribe('presence-b', '10');
    await client.heard();
    client.signin('bob');
    client.subscribe('presence-c');
    await client.heard();
    const members = () => Promise.all(['a', 'b', 'c'].map((name) => room.members(`presence-${name}`)));
    expect(await members()).toEqual([['ada'], ['10'], ['bob']]);
    client.close();
    await room.expectNothingLeft();
    expect(await members()).toEqual([[], [], []]);
  });

  it('are not told of who came before them, and of everybody who comes after', async () => {
    const room = await openRoom();
    const hold = new Hold();
    room.broker.confirm = () => hold;
    const client = await room.connect();
    client.subscribe(LOBBY, 'ada');
    await client.heard();
    await room.presence.join(elsewhere('bob'), Infinity);
    await room.presence.join(elsewhere('gone'), Infinity);
    await room.presence.leave(elsewhere('gone'), 0, 'left');
    hold.release();
    await turn();
    await room.presence.join(elsewhere('eve'), Infinity);
    await client.heard();
    expect(ids(client)).toEqual(['bob', 'ada']);
    expect((await client.news()).slice(1)).toEqual([
      `member_added ${LOBBY} {"user_id":"eve","user_info":{}}`,
    ]);
    client.close();
    await room.expectNothingLeft();
  });

  it('get events and members that come while the answer is on its way behind it', async () => {
    const { room, hold } = await slowPresence('afterJoin');
    const client = await room.connect();
    client.subscribe(LOBBY, 'ada');
    expect(await client.news()).toEqual([]);
    await room.publish(LOBBY, 'one');
    void room.presence.join(elsewhere('bob'), Infinity);
    await room.publish(LOBBY, 'two');
    expect(await client.news()).toEqual([]);
    hold.release();
    await turn();
    await client.heard();
    expect(ids(client)).toEqual(['ada']);
    expect((await client.news()).slice(1)).toEqual([
      `news ${LOBBY} one`,
      `member_added ${LOBBY} {"user_id":"bob","user_info":{}}`,
      `news ${LOBBY} two`,
    ]);
    client.close();
    await room.expectNothingLeft();
  });

  it.each(['beforeJoin', 'afterJoin'] as const)('leave nothing when presence fails (%s)', async (when) => {
    const { room, hold } = await slowPresence(when);
    const client = await room.connect();
    client.subscribe(LOBBY, 'ada');
    await client.heard();
    await room.publish(LOBBY, 'secret');
    hold.fail();
    await turn();
    expect(await client.news()).toEqual([
      `error ${LOBBY} {"code":4100,"message":"The channel cannot be joined now, retry"}`,
      `subscription_error ${LOBBY} {"type":"SubscriptionError","error":"The channel cannot be joined now, retry","status":503,"code":4100}`,
    ]);
    expect(await room.counts()).toEqual({});
    expect(await room.members(LOBBY)).toEqual([]);
    expect([...room.broker.interest]).toEqual([]);
    room.presence[when] = () => undefined;
    client.subscribe(LOBBY, 'ada');
    expect(await client.news()).toHaveLength(1);
    expect(await room.members(LOBBY)).toEqual(['ada']);
    client.close();
    await room.expectNothingLeft();
  });

  it('wait while the store of presence is away', async () => {
    const room = await openRoom();
    let tries = 0;
    room.presence.beforeJoin = () => {
      tries += 1;
      return tries <= 3 ? Promise.reject(new PresenceUnavailable()) : undefined;
    };
    const client = await room.connect();
    client.subscribe(LOBBY, 'ada');
    await client.until('pusher_internal:subscription_succeeded');
    expect(await room.members(LOBBY)).toEqual(['ada']);
    client.close();
    await room.expectNothingLeft();
  });

  it('are sent away, so that they come back, when it stays away', async () => {
    const room = await openRoom({ env: { ADAPTER_INTEREST_CONFIRM_TIMEOUT_MS: '300' } });
    room.presence.beforeJoin = () => Promise.reject(new PresenceUnavailable());
    const client = await room.connect();
    client.subscribe(LOBBY, 'ada');
    expect(await client.untilClose()).toBe(4100);
    expect(client.frames.filter(({ event }) => event.includes('subscription'))).toEqual([]);
    await room.expectNothingLeft();
  });

  it('keep their subscription, and every event of it, when presence fails while they repeat it', async () => {
    const { room, hold } = await slowPresence('afterJoin');
    hold.release();
    const client = await join(room, 'ada');
    const failing = new Hold();
    room.presence.afterJoin = () => failing.settled;
    await room.publish(LOBBY, 'one');
    client.subscribe(LOBBY, 'ada');
    await client.heard();
    await room.publish(LOBBY, 'two');
    failing.fail();
    await turn();
    await room.publish(LOBBY, 'three');
    const lines = await client.news();
    expect(lines.map((line) => line.split(' ')[0])).toEqual([
      'news',
      'error',
      'subscription_error',
      'news',
      'news',
    ]);
    expect(lines.filter((line) => line.startsWith('news'))).toEqual(
      ['one', 'two', 'three'].map((data) => `news ${LOBBY} ${data}`),
    );
    expect(await room.members(LOBBY)).toEqual(['ada']);
    client.close();
    await room.expectNothingLeft();
    expect(await room.members(LOBBY)).toEqual([]);
  });

  it.each([
    ['beforeJoin', 'close'],
    ['beforeJoin', 'drop'],
    ['afterJoin', 'close'],
    ['afterJoin', 'drop'],
  ] as const)('leave no ghost when they go while they come (%s, %s)', async (when, how) => {
    const { room, hold } = await slowPresence(when);
    const client = await room.connect();
    client.subscribe(LOBBY, 'ada');
    await client.heard();
    client[how]();
    await room.settled(0);
    hold.release();
    await turn();
    await room.expectNothingLeft();
    expect(await room.members(LOBBY)).toEqual([]);
  });

  it('leave no ghost when they go while they come a second time', async () => {
    const { room, hold } = await slowPresence('beforeJoin');
    room.presence.beforeJoin = () => undefined;
    const client = await join(room, 'ada');
    room.presence.beforeJoin = () => hold.settled;
    client.subscribe(LOBBY, 'ada');
    await client.heard();
    client.close();
    await room.settled(0);
    expect(await room.members(LOBBY)).toEqual([]);
    hold.release();
    await turn();
    await room.expectNothingLeft();
    expect(await room.members(LOBBY)).toEqual([]);
  });

  it('go at once by unsubscribe, close frame or 4009, and after the lease by 4200 or a lost connection', async () => {
    const room = await openRoom({ env: { PRESENCE_UNGRACEFUL_TIMEOUT_SECONDS: '60' } });
    const watcher = await join(room, 'watcher');
    const [unsubscribes, closes, drops, isEnded, returns] = [
      await join(room, 'u1'),
      await join(room, 'u2'),
      await join(room, 'u3'),
      await join(room, 'u4'),
      await join(room, 'u5'),
    ];
    isEnded.signin('end');
    returns.signin('back');
    await isEnded.heard();
    await returns.heard();
    unsubscribes.unsubscribe(LOBBY);
    await unsubscribes.heard();
    closes.close(4200);
    await closes.untilClose();
    await room.settled(5);
    await room.broker.ask('terminate_user', 'shop', { userId: 'end' });
    expect(await isEnded.untilClose()).toBe(4009);
    await room.settled(4);
    await room.broker.ask('force_reconnect', 'shop', { userId: 'back' });
    expect(await returns.untilClose()).toBe(4200);
    drops.drop();
    await room.settled(2);
    expect(room.presence.leaves.filter(({ userId }) => userId.startsWith('u'))).toEqual([
      { userId: 'u1', leaseMs: 0, cause: 'left' },
      { userId: 'u2', leaseMs: 0, cause: 'left' },
      { userId: 'u4', leaseMs: 0, cause: 'forced_disconnect' },
      { userId: 'u5', leaseMs: 60_000, cause: 'forced_disconnect' },
      { userId: 'u3', leaseMs: 60_000, cause: 'connection_lost' },
    ]);
    expect(await room.members(LOBBY)).toEqual(['watcher', 'u3', 'u5']);
    expect((await watcher.news()).filter((line) => line.startsWith('member_removed'))).toEqual(
      ['u1', 'u2', 'u4'].map((user) => `member_removed ${LOBBY} {"user_id":"${user}"}`),
    );
    const again = await join(room, 'u3');
    expect(await watcher.news()).toEqual([]);
    for (const client of [watcher, unsubscribes, again]) client.close();
    await room.expectNothingLeft();
  });

  it.each([
    ['beside other nodes for a moment', { ADAPTER_DRIVER: 'nats', CACHE_DRIVER: 'redis' }, 5000],
    ['not at all where there are none', {}, 0],
  ])('outlive the stop of their node %s', async (_, env, leaseMs) => {
    const room = await openRoom({ env });
    await join(room, 'ada');
    await room.hub.closeAll({ closingMs: 0, boundMs: 1000, signal: new AbortController().signal });
    await room.settled(0);
    expect(room.presence.leaves).toEqual([{ userId: 'ada', leaseMs, cause: 'left' }]);
  });
});
