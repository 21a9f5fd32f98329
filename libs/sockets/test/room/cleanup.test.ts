import { ONLINE_USERS } from '@carillon/presence';
import { describe, expect, it } from 'vitest';
import { Hold } from './ports.js';
import { eventually, openRoom } from './room.js';

describe('what a closed connection leaves behind', () => {
  it('goes in a fixed order: channels, the member, then the online user', async () => {
    const room = await openRoom();
    const client = await room.connect();
    client.signin('ada');
    client.subscribe('presence-a', 'ada');
    client.subscribe('orders');
    await client.news();
    const order: string[] = [];
    const { broker, presence } = room;
    const unsubscribe = broker.unsubscribe.bind(broker);
    broker.unsubscribe = (appId, channel) => {
      order.push(`-${channel}`);
      unsubscribe(appId, channel);
    };
    const leave = presence.leave.bind(presence);
    presence.leave = (place, leaseMs, cause) => {
      order.push(`leave ${place.channel}`);
      return leave(place, leaseMs, cause);
    };
    client.close();
    await room.expectNothingLeft();
    expect(order.filter((one) => !one.includes('#server-to-user'))).toEqual([
      '-presence-a',
      '-orders',
      'leave presence-a',
      `leave ${ONLINE_USERS}`,
    ]);
  });

  it('takes nothing from connections of its app that come before it has gone', async () => {
    const room = await openRoom();
    const hold = new Hold();
    const { presence } = room;
    const leave = presence.leave.bind(presence);
    let isLeaving = false;
    presence.leave = async (...about) => {
      isLeaving = true;
      await hold.settled;
      return leave(...about);
    };
    const before = await room.connect();
    before.subscribe('presence-a', 'ada');
    await before.news();
    before.close();
    await eventually(() => isLeaving && room.connected === 0);
    const after = await room.connect();
    after.subscribe('orders');
    await after.news();
    hold.release();
    await room.settled(1);
    room.publish('orders', 'still here');
    expect(await after.news()).toEqual(['news orders still here']);
    after.close();
    await room.expectNothingLeft();
  });

  it('is counted while it waits, and so is what finds no room', async () => {
    const room = await openRoom({ env: { CLEANUP_QUEUE_BUFFER_SIZE: '1', CLEANUP_WORKER_THREADS: '1' } });
    const clients = await Promise.all(Array.from({ length: 3 }, () => room.connect()));
    const hold = new Hold();
    const { presence } = room;
    const leave = presence.leave.bind(presence);
    presence.leave = async (...about) => {
      await hold.settled;
      return leave(...about);
    };
    for (const client of clients) {
      client.subscribe('presence-a', client.socketId);
      await client.news();
    }
    const { signal } = new AbortController();
    await room.hub.closeAll({ closingMs: 0, boundMs: 1000, signal });
    await eventually(() => room.connected === 0);
    expect(await room.metric('cleanup_queue_depth')).toBe(3);
    expect(await room.metric('cleanup_sync_fallback_total')).toBe(2);
    expect(await room.metric('cleanup_failures_total')).toBe(0);
    hold.release();
    await room.expectNothingLeft();
    expect(await room.metric('cleanup_queue_depth')).toBe(0);
  });
});
