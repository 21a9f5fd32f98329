import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Client } from './client.js';
import { Hold } from './ports.js';
import { eventually, openRoom, Room, turn } from './room.js';

/** Returns a room whose broker confirms on demand. */
async function slowRoom(): Promise<{ room: Room; holds: Hold[] }> {
  const room = await openRoom();
  const holds: Hold[] = [];
  room.broker.confirm = () => {
    const hold = new Hold();
    holds.push(hold);
    return hold;
  };
  return { room, holds };
}

const failure = (channel: string) => [
  `error ${channel} {"code":4100,"message":"The channel cannot be joined now, retry"}`,
  `subscription_error ${channel} {"type":"SubscriptionError","error":"The channel cannot be joined now, retry","status":503,"code":4100}`,
];

const subscribed = async (client: Client, channel: string): Promise<void> => {
  client.subscribe(channel);
  await client.until('pusher_internal:subscription_succeeded', channel);
  client.frames.length = 0;
};

describe('a subscription that waits for other processes', () => {
  it.each(['orders', 'private-a', 'cache-a'])(
    'to %s is answered when they know, with what came meanwhile behind the answer',
    async (channel) => {
      const { room, holds } = await slowRoom();
      const client = await room.connect();
      client.subscribe(channel);
      expect(await client.news()).toEqual([]);
      await room.publish(channel, 'one', { isLastEvent: false });
      await room.publish(channel, 'two', { isLastEvent: false });
      await room.publish(channel, 'mine', { exceptSocketId: client.socketId, isLastEvent: false });
      expect(await client.news()).toEqual([]);
      holds[0]?.release();
      await turn();
      await room.publish(channel, 'three', { isLastEvent: false });
      const miss = channel === 'cache-a' ? ['cache_miss cache-a {}'] : [];
      expect(await client.news()).toEqual([
        `subscription_succeeded ${channel} {}`,
        ...miss,
        `news ${channel} one`,
        `news ${channel} two`,
        `news ${channel} three`,
      ]);
      client.close();
      await room.expectNothingLeft();
    },
  );

  it('fails with 4100 and 503 when they cannot be told, leaves nothing, and may be tried again', async () => {
    const { room, holds } = await slowRoom();
    const [one, two] = [await room.connect(), await room.connect()];
    one.subscribe('orders');
    two.subscribe('orders');
    await one.news();
    await two.news();
    await room.publish('orders', 'lost');
    holds[0]?.fail();
    await turn();
    expect(await one.news()).toEqual(failure('orders'));
    expect(await two.news()).toEqual(failure('orders'));
    expect(await room.counts()).toEqual({});
    expect(room.broker.calls).toEqual(['+orders', '-orders']);
    expect(await room.metric('channel_subscriptions_total')).toBe(0);
    await room.publish('orders', 'lost too');
    room.broker.confirm = () => null;
    await subscribed(one, 'orders');
    await room.publish('orders', 'seen');
    expect(await one.news()).toEqual(['news orders seen']);
    expect(await two.news()).toEqual([]);
    one.close();
    two.close();
    await room.expectNothingLeft();
  });

  it('lets others wait for the same confirmation, and come in at once afterwards', async () => {
    const { room, holds } = await slowRoom();
    const clients = await Promise.all([room.connect(), room.connect(), room.connect()]);
    for (const client of clients.slice(0, 2)) client.subscribe('orders');
    for (const client of clients.slice(0, 2)) expect(await client.news()).toEqual([]);
    expect(room.broker.calls).toEqual(['+orders']);
    holds[0]?.release();
    await turn();
    clients[2]?.subscribe('orders');
    for (const client of clients) expect(await client.news()).toEqual(['subscription_succeeded orders {}']);
    await room.publish('orders', 'one');
    for (const client of clients) expect(await client.news()).toEqual(['news orders one']);
    expect(room.broker.calls).toEqual(['+orders']);
    for (const client of clients) client.close();
    await room.expectNothingLeft();
  });

  it('holds up nothing else of its connection', async () => {
    const { room, holds } = await slowRoom();
    const client = await room.connect();
    client.subscribe('slow');
    await client.news();
    room.broker.confirm = () => null;
    client.subscribe('fast');
    await room.publish('fast', 'not yet');
    expect(await client.news()).toEqual(['subscription_succeeded fast {}']);
    await room.publish('fast', 'one');
    client.signin('ada');
    expect(await client.news()).toEqual([
      'news fast one',
      'signin_success {"user_data":"{\\"id\\":\\"ada\\"}"}',
    ]);
    holds[0]?.release();
    await turn();
    expect(await client.news()).toEqual(['subscription_succeeded slow {}']);
    client.close();
    await room.expectNothingLeft();
  });

  it('is undone by an unsubscribe right behind it', async () => {
    const { room, holds } = await slowRoom();
    const client = await room.connect();
    client.subscribe('orders');
    client.unsubscribe('orders');
    await client.news();
    holds[0]?.release();
    await turn();
    expect(await client.news()).toEqual(['subscription_succeeded orders {}']);
    expect(await room.counts()).toEqual({});
    await room.publish('orders', 'one');
    expect(await client.news()).toEqual([]);
    expect(room.broker.calls).toEqual(['+orders', '-orders']);
    client.close();
    await room.expectNothingLeft();
  });

  it('lets subscribe, unsubscribe and a client event behind it have their turn in order', async () => {
    const { room, holds } = await slowRoom();
    const [client, other] = [await room.connect(), await room.connect()];
    client.subscribe('private-a');
    client.send('client-early', { channel: 'private-a' });
    client.unsubscribe('private-a');
    client.send('client-late', { channel: 'private-a' });
    client.subscribe('private-a');
    other.subscribe('private-a');
    await client.news();
    await other.news();
    for (const hold of holds) hold.release();
    await turn();
    await turn();
    expect(await client.news()).toEqual([
      'subscription_succeeded private-a {}',
      'error private-a {"code":4301,"message":"Not subscribed to the channel"}',
      'subscription_succeeded private-a {}',
    ]);
    // Whether the other came in before the early event or behind it, it sees no late one.
    expect((await other.news()).filter((line) => line.startsWith('client-late'))).toEqual([]);
    expect(await room.counts()).toEqual({ 'private-a': 2 });
    client.close();
    other.close();
    await room.expectNothingLeft();
  });

  it.each([
    ['with a close frame', (client: Client) => client.close()],
    ['without a word', (client: Client) => client.drop()],
  ])('leaves nothing when its connection ends %s', async (_name, end) => {
    const { room, holds } = await slowRoom();
    const client = await room.connect();
    for (const channel of ['orders', 'private-a', 'cache-a', 'presence-a'])
      client.subscribe(channel, undefined);
    client.subscribe('presence-b', 'ada');
    await client.heard();
    end(client);
    await room.settled(0);
    for (const [index, hold] of holds.entries()) {
      if (index % 2 === 0) hold.release();
      else hold.fail();
    }
    await room.expectNothingLeft();
    expect(await room.members('presence-b')).toEqual([]);
    expect(room.presence.calls.filter((call) => call.startsWith('+'))).toEqual([]);
  });

  it('leaves nothing when its connection ends with the same subscription queued behind it', async () => {
    const { room, holds } = await slowRoom();
    const client = await room.connect();
    client.subscribe('orders');
    client.unsubscribe('orders');
    client.subscribe('orders');
    client.subscribe('presence-a', 'ada');
    client.unsubscribe('presence-a');
    client.subscribe('presence-a', 'ada');
    await client.heard();
    client.drop();
    await room.settled(0);
    room.broker.confirm = () => null;
    for (const hold of holds) hold.release();
    await turn();
    await room.expectNothingLeft();
    expect(await room.counts()).toEqual({});
    expect(await room.members('presence-a')).toEqual([]);
  });

  it('counts what it holds back as queued: beyond the bound the connection closes with 4100', async () => {
    const room = await openRoom({ env: { WEBSOCKET_MAX_MESSAGES: '5' } });
    const hold = new Hold();
    room.broker.confirm = () => hold;
    const client = await room.connect();
    client.subscribe('orders');
    await client.news();
    for (let index = 0; index < 5; index += 1) await room.publish('orders', `${index}`);
    expect(await client.news()).toEqual([]);
    await room.publish('orders', 'one too many');
    expect(await client.untilClose()).toBe(4100);
    hold.release();
    await room.expectNothingLeft();
  });

  it('drops the newest of what it holds back where slow clients are kept, by frames and by bytes', async () => {
    const env = {
      WEBSOCKET_MAX_MESSAGES: '4',
      WEBSOCKET_MAX_BYTES: '1000',
      WEBSOCKET_DISCONNECT_ON_BUFFER_FULL: 'false',
    };
    const room = await openRoom({ env });
    const hold = new Hold();
    room.broker.confirm = () => hold;
    const client = await room.connect();
    client.subscribe('orders');
    await client.news();
    // A large one that does not fit must not keep small ones out.
    await room.publish('orders', 'one');
    await room.publish('orders', 'ä'.repeat(480));
    await room.publish('orders', 'two');
    await room.publish('orders', 'three');
    await room.publish('orders', 'four');
    await room.publish('orders', 'five');
    hold.release();
    await turn();
    expect(await client.news()).toEqual([
      'subscription_succeeded orders {}',
      ...['one', 'two', 'three', 'four'].map((data) => `news orders ${data}`),
    ]);
    expect(await room.metric('ws_messages_dropped_total')).toBe(2);
    client.close();
    await room.expectNothingLeft();
  });

  it('shows each client every event after its answer, once and in order, whenever they are confirmed', async () => {
    const step = fc.constantFrom('publish', 'turn', 'subscribe', 'confirm', 'fail', 'unsubscribe', 'end');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(step, fc.nat(2)), { maxLength: 30 }), async (program) => {
        const room = await Room.open();
        const holds: Hold[] = [];
        room.broker.confirm = () => {
          const hold = new Hold();
          holds.push(hold);
          return hold;
        };
        const clients = await Promise.all([room.connect(), room.connect(), room.connect()]);
        let published = 0;
        for (const [kind, which] of program) {
          const client = clients[which];
          if (kind === 'publish') await room.publish('orders', `${published++}`);
          else if (kind === 'confirm') holds.at(-1)?.release();
          else if (kind === 'fail') holds.at(-1)?.fail();
          else if (client?.closeCode === null && !client.raw.connection.ended) {
            if (kind === 'subscribe') client.subscribe('orders');
            if (kind === 'unsubscribe') client.unsubscribe('orders');
            if (kind === 'end') client.close();
            // Frames sent now are processed before anything else.
            if (kind === 'end') await client.untilClose();
            else await client.heard();
          }
          await turn();
        }
        // Subscriptions queued behind these are confirmed at once.
        room.broker.confirm = () => null;
        for (const hold of holds) hold.release();
        await eventually(() => room.gateway.connections.every(({ openings }) => openings === null));
        await room.publish('orders', `${published++}`);
        for (const client of clients) {
          if (client.closeCode === null) await client.heard();
          let next: number | null = null;
          for (const { event, data } of client.frames) {
            if (event !== 'news') next = event === 'pusher_internal:subscription_succeeded' ? next : null;
            else {
              // Without an unsubscribe in between, nothing is missing.
              if (next !== null && !program.some(([kind]) => kind === 'unsubscribe'))
                expect(Number(data)).toBe(next);
              if (next !== null) expect(Number(data)).toBeGreaterThanOrEqual(next);
              next = Number(data) + 1;
            }
          }
        }
        for (const client of clients) client.drop();
        await room.expectNothingLeft();
        await room.close();
      }),
      { numRuns: 40 },
    );
  });
});
