import { describe, expect, it } from 'vitest';
import { openRoom } from './room.js';

describe('subscribing', () => {
  it('is answered, delivers, and ends with unsubscribing', async () => {
    const room = await openRoom();
    const client = await room.connect();
    client.subscribe('orders');
    expect(await client.news()).toEqual(['subscription_succeeded orders {}']);
    await room.publish('orders', 'one');
    await room.publish('others', 'not mine');
    expect(await client.news()).toEqual(['news orders one']);
    client.unsubscribe('orders');
    expect(await client.news()).toEqual([]);
    await room.publish('orders', 'two');
    expect(await client.news()).toEqual([]);
    client.close();
    expect(await client.untilClose()).toBe(1000);
    await room.expectNothingLeft();
  });

  it.each(['orders', 'private-a', 'private-encrypted-a'])(
    'again to %s is answered again and changes nothing else',
    async (channel) => {
      const room = await openRoom();
      const client = await room.connect();
      for (let time = 0; time < 3; time += 1) client.subscribe(channel);
      expect(await client.news()).toEqual(Array(3).fill(`subscription_succeeded ${channel} {}`));
      expect(await room.counts()).toEqual({ [channel]: 1 });
      expect(room.broker.calls).toEqual([`+${channel}`]);
      expect(await room.metric('channel_subscriptions_total')).toBe(1);
      await room.publish(channel, 'one');
      expect(await client.news()).toEqual([`news ${channel} one`]);
      client.unsubscribe(channel);
      await room.publish(channel, 'two');
      await client.news();
      await room.publish(channel, 'three');
      expect(await client.news()).toEqual([]);
      client.close();
      await room.expectNothingLeft();
    },
  );

  it('again to a presence channel shows the members again, and keeps the info of the first time', async () => {
    const room = await openRoom();
    const [ada, bob] = [await room.connect(), await room.connect()];
    ada.subscribe('presence-room', 'ada', { name: 'Ada' });
    const members =
      'subscription_succeeded presence-room {"presence":{"ids":["ada"],"hash":{"ada":{"name":"Ada"}},"count":1}}';
    expect(await ada.news()).toEqual([members]);
    bob.subscribe('presence-room', 'bob');
    await bob.news();
    expect(await ada.news()).toEqual(['member_added presence-room {"user_id":"bob","user_info":{}}']);
    ada.subscribe('presence-room', 'ada', { name: 'Other' });
    expect(await ada.news()).toEqual([
      'subscription_succeeded presence-room {"presence":{"ids":["ada","bob"],"hash":{"ada":{"name":"Ada"},"bob":{}},"count":2}}',
    ]);
    expect(await bob.news()).toEqual([]);
    ada.unsubscribe('presence-room');
    await ada.news();
    expect(await bob.news()).toEqual(['member_removed presence-room {"user_id":"ada"}']);
    ada.close();
    bob.close();
    await room.expectNothingLeft();
  });

  it('again as another user is refused with 4009 and keeps the subscription', async () => {
    const room = await openRoom();
    const client = await room.connect();
    client.subscribe('presence-room', 'ada');
    await client.news();
    client.subscribe('presence-room', 'bob');
    const [error, failed] = await client.heard();
    expect(error).toMatchObject({ event: 'pusher:error', channel: 'presence-room', data: { code: 4009 } });
    expect(failed).toMatchObject({
      event: 'pusher:subscription_error',
      channel: 'presence-room',
      data: { type: 'AuthError', status: 403, code: 4009 },
    });
    client.frames.length = 0;
    expect(await room.members('presence-room')).toEqual(['ada']);
    await room.publish('presence-room', 'one');
    expect(await client.news()).toEqual(['news presence-room one']);
    client.close();
    await room.expectNothingLeft();
  });

  it.each([
    ['a channel that is not subscribed', { channel: 'nothing' }, []],
    ['a bare name', 'nothing', []],
    ['nothing', {}, ['error {"code":4000,"message":"data.channel must be a string"}']],
  ])('ends for %s', async (_name, data, expected) => {
    const room = await openRoom();
    const client = await room.connect();
    client.send('pusher:unsubscribe', { data });
    expect(await client.news()).toEqual(expected);
    client.close();
    await room.expectNothingLeft();
  });

  it('carries events in the order published, to everybody but the connection left out', async () => {
    const room = await openRoom();
    const clients = await Promise.all([room.connect(), room.connect(), room.connect()]);
    for (const client of clients) client.subscribe('orders');
    for (const client of clients) await client.news();
    const expected: string[][] = [[], [], []];
    for (let index = 0; index < 200; index += 1) {
      const left = index % 4;
      await room.publish('orders', `${index}`, { exceptSocketId: clients[left]?.socketId ?? '1.1' });
      for (const [which, list] of expected.entries()) if (which !== left) list.push(`news orders ${index}`);
    }
    for (const [which, client] of clients.entries()) expect(await client.news()).toEqual(expected[which]);
    for (const client of clients) client.drop();
    await room.expectNothingLeft();
  });

  it('gives a client event to all others, with the sender on presence channels only', async () => {
    const room = await openRoom();
    const [one, two] = [await room.connect(), await room.connect()];
    for (const [client, user] of [
      [one, 'ada'],
      [two, 'bob'],
    ] as const) {
      client.subscribe('private-a');
      client.subscribe('presence-b', user);
    }
    await one.news();
    await two.news();
    await one.news();
    one.send('client-x', { channel: 'private-a', data: { on: true } });
    one.send('client-x', { channel: 'presence-b', data: 'text' });
    expect(await one.news()).toEqual([]);
    expect(await two.news()).toEqual(['client-x private-a {"on":true}', 'client-x presence-b text ada']);
    one.close();
    two.close();
    await room.expectNothingLeft();
  });
});
