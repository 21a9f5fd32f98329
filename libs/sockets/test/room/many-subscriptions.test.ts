import { describe, expect, it } from 'vitest';
import { Hold } from './ports.js';
import { openRoom } from './room.js';

describe('many subscriptions of one connection', () => {
  it('are bounded, also while they wait: beyond, a subscribe is refused and the others stay', async () => {
    const room = await openRoom({ env: { WEBSOCKET_MAX_SUBSCRIPTIONS_PER_CONNECTION: '3' } });
    const client = await room.connect();
    client.subscribe('presence-a', 'ada');
    client.subscribe('presence-b', 'ada');
    client.subscribe('orders');
    client.subscribe('too-many');
    const news = await client.news();
    expect(news).toHaveLength(5);
    expect(news.filter((line) => line.includes('too-many'))).toEqual([
      expect.stringContaining('4301'),
      expect.stringContaining('SubscriptionError'),
    ]);
    expect(Object.keys(await room.counts()).sort()).toEqual(['orders', 'presence-a', 'presence-b']);
    client.subscribe('orders');
    expect(await client.news()).toEqual(['subscription_succeeded orders {}']);
    client.unsubscribe('orders');
    client.subscribe('another');
    expect(await client.news()).toEqual(['subscription_succeeded another {}']);
    client.close();
    await room.expectNothingLeft();
  });

  it('count each channel once when it has joined and still waits for its last event', async () => {
    const room = await openRoom({ env: { WEBSOCKET_MAX_SUBSCRIPTIONS_PER_CONNECTION: '3' } });
    const hold = new Hold();
    room.lastEvents.beforeRead = () => hold.settled;
    const client = await room.connect();
    for (const name of ['cache-a', 'cache-b', 'cache-c']) {
      client.subscribe(name);
      await client.until('pusher_internal:subscription_succeeded');
    }
    client.subscribe('cache-d');
    expect((await client.until('pusher:subscription_error')).channel).toBe('cache-d');
    client.unsubscribe('cache-a');
    client.subscribe('orders');
    hold.release();
    await client.until('pusher_internal:subscription_succeeded');
    expect(Object.keys(await room.counts()).sort()).toEqual(['cache-b', 'cache-c', 'orders']);
    client.close();
    await room.expectNothingLeft();
  });

  it('are refused with 4301 alone beyond the limit when all of them are asked for in one burst', async () => {
    const room = await openRoom();
    const hold = new Hold();
    room.broker.confirm = () => hold;
    const client = await room.connect();
    for (let index = 0; index < 1200; index += 1) client.subscribe(`channel-${index}`);
    hold.release();
    const news = await client.news();
    const succeeded = news.filter((line) => line.startsWith('subscription_succeeded'));
    const refused = news.filter((line) => !line.startsWith('subscription_succeeded'));
    expect([succeeded.length, refused.length]).toEqual([1000, 400]);
    expect(refused.filter((line) => !line.includes('4301'))).toEqual([]);
    client.close();
    await room.expectNothingLeft();
  });

  it('are left a part in each turn of the loop when it ends', async () => {
    const room = await openRoom();
    const client = await room.connect();
    for (let index = 0; index < 1000; index += 1) client.subscribe(`channel-${index}`);
    expect(await client.news()).toHaveLength(1000);
    const { broker } = room;
    const unsubscribe = broker.unsubscribe.bind(broker);
    const perTurn: number[] = [];
    let isSameTurn = false;
    broker.unsubscribe = (appId, channel) => {
      if (!isSameTurn) {
        perTurn.push(0);
        isSameTurn = true;
        setImmediate(() => {
          isSameTurn = false;
        });
      }
      perTurn[perTurn.length - 1] = (perTurn.at(-1) ?? 0) + 1;
      unsubscribe(appId, channel);
    };
    client.close();
    await room.expectNothingLeft();
    expect(perTurn.reduce((sum, one) => sum + one, 0)).toBe(1000);
    expect(Math.max(...perTurn)).toBeLessThanOrEqual(400);
  });
});
