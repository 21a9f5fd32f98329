import { JsonText, NO_WEBHOOKS, type WebhookEvent, type WebhookEvents } from '@carillon/webhooks';
import { describe, expect, it } from 'vitest';
import { Hold } from './ports.js';
import { openRoom } from './room.js';

/** Records webhook events of sockets. */
class HeardWebhooks implements WebhookEvents {
  heard: string[] = [];
  wanted = true;
  attend = NO_WEBHOOKS.attend;
  follows = NO_WEBHOOKS.follows;

  wants(): boolean {
    return this.wanted;
  }

  emit(_: unknown, { name, ...members }: WebhookEvent): void {
    const values = Object.values(members).map((one: unknown) => (one instanceof JsonText ? one.text : one));
    this.heard.push([name, ...values].join(' '));
  }

  channelOccupied(app: unknown, channel: string): void {
    this.heard.push(`+${channel} of ${typeof app === 'string' ? 'an id' : 'an app'}`);
  }

  channelVacated(app: unknown, channel: string): void {
    this.heard.push(`-${channel} of ${typeof app === 'string' ? 'an id' : 'an app'}`);
  }

  memberAdded(app: unknown, channel: string, userId: string): void {
    this.heard.push(`+${channel} ${userId} of ${typeof app === 'string' ? 'an id' : 'an app'}`);
  }

  memberRemoved(app: unknown, channel: string, userId: string): void {
    this.heard.push(`-${channel} ${userId} of ${typeof app === 'string' ? 'an id' : 'an app'}`);
  }

  news(): readonly string[] {
    return this.heard.splice(0);
  }
}

async function open(more: object = {}) {
  const webhooks = new HeardWebhooks();
  return { webhooks, room: await openRoom({ webhooks, ...more }) };
}

describe('sockets tell webhooks', () => {
  it('of the first and the last subscriber, and how many there are after each, and of no repeated subscribe', async () => {
    const { room, webhooks } = await open();
    const [one, other] = [await room.connect(), await room.connect()];
    for (const client of [one, other, one]) {
      client.subscribe('orders');
      await client.heard();
    }
    one.unsubscribe('orders');
    await one.heard();
    other.close();
    await room.settled(1);
    expect(webhooks.news()).toEqual([
      '+orders of an app',
      'subscription_count orders 1',
      'subscription_count orders 2',
      'subscription_count orders 1',
      '-orders of an app',
      'subscription_count orders 0',
    ]);
  });

  it('of users that come to a presence channel and go, once for all their connections', async () => {
    const { room, webhooks } = await open();
    const [one, other] = [await room.connect(), await room.connect()];
    for (const client of [one, other]) {
      client.subscribe('presence-lobby', 'u-9');
      await client.heard();
    }
    for (const client of [one, other]) {
      client.unsubscribe('presence-lobby');
      await client.heard();
    }
    expect(webhooks.news()).toEqual([
      '+presence-lobby u-9 of an app',
      '+presence-lobby of an app',
      '-presence-lobby of an app',
      '-presence-lobby u-9 of an app',
    ]);
  });

  it('of a user whose lease outlasts everything else of its app', async () => {
    const { room, webhooks } = await open({ env: { PRESENCE_UNGRACEFUL_TIMEOUT_SECONDS: '1' } });
    const client = await room.connect();
    client.subscribe('presence-lobby', 'u-9');
    await client.heard();
    client.drop();
    await room.settled(0);
    webhooks.news();
    while (webhooks.heard.length === 0) await new Promise((later) => void setTimeout(later, 20));
    expect(webhooks.news()).toEqual(['-presence-lobby u-9 of an id']);
  });

  it('of accepted client events with their payload as a string, on presence channels with the user', async () => {
    const { room, webhooks } = await open();
    const client = await room.connect();
    client.subscribe('private-a');
    client.subscribe('presence-b', 'u-9');
    await client.heard();
    webhooks.news();
    const send = (channel: string, data: string) =>
      client.raw.sendText(`{"event":"client-x","channel":"${channel}"${data}}`);
    send('private-a', ',"data":{"n":12345678901234567890, "s":"1"}');
    send('private-a', ',"data":"text"');
    send('private-a', '');
    send('presence-b', ',"data":1.50');
    send('private-none', ',"data":1');
    await client.heard();
    const { socketId } = client;
    expect(webhooks.news()).toEqual([
      `client_event private-a client-x {"n":12345678901234567890, "s":"1"} ${socketId}`,
      `client_event private-a client-x text ${socketId}`,
      `client_event private-a client-x null ${socketId}`,
      `client_event presence-b client-x 1.50 ${socketId} u-9`,
    ]);
    webhooks.wanted = false;
    send('private-a', ',"data":1');
    room.publish('private-a', 'of the server');
    await client.heard();
    expect(webhooks.news()).toEqual([]);
  });

  it('of a client event only once it is passed on', async () => {
    const { room, webhooks } = await open();
    const client = await room.connect();
    client.subscribe('private-a');
    await client.heard();
    webhooks.news();
    const [lost, sent] = [new Hold(), new Hold()];
    for (const hold of [lost, sent]) {
      room.broker.reach = () => hold;
      client.send('client-x', { channel: 'private-a', data: 1 });
      await client.heard();
      expect(webhooks.news()).toEqual([]);
    }
    lost.fail();
    await client.until('pusher:error');
    expect(webhooks.news()).toEqual([]);
    sent.release();
    await client.heard();
    expect(webhooks.news()).toEqual([`client_event private-a client-x 1 ${client.socketId}`]);
  });

  it('of a subscription to a cache channel without an event', async () => {
    const { room, webhooks } = await open();
    const client = await room.connect();
    client.subscribe('cache-prices');
    await client.until('pusher:cache_miss');
    room.publish('cache-prices', '7');
    client.unsubscribe('cache-prices');
    client.subscribe('cache-prices');
    await client.until('news');
    expect(webhooks.news().filter((one) => one.startsWith('cache'))).toEqual(['cache_miss cache-prices {}']);
  });

  it('of nobody who signs in or is watched', async () => {
    const { room, webhooks } = await open();
    const client = await room.connect();
    client.signin('u-9', { watchlist: ['u-1'] });
    await client.until('pusher:signin_success');
    client.subscribe('#server-to-user-u-9');
    await client.heard();
    client.close();
    await room.settled(0);
    expect(webhooks.news()).toEqual([]);
  });
});
