import { describe, expect, it } from 'vitest';
import { ClientV2 } from './client-v2.js';
import type { Client } from './client.js';
import { eventually, openRoom, type Room, turn } from './room.js';

/** Together more than the system takes for a client that does not read, and in no channel enough to look for one. */
const CHANNELS = Array.from({ length: 150 }, (_, index) => `channel-${index}`);
const PADDING = 'x'.repeat(60_000);

const BOUNDS = { WEBSOCKET_MAX_BYTES: '200000', WEBSOCKET_MAX_BACKPRESSURE: '20000' };

/** Clients that are subscribed to everything and read nothing more. */
async function silent(room: Room, count: number): Promise<readonly Client[]> {
  const clients = await Promise.all(Array.from({ length: count }, () => room.connect()));
  for (const client of clients) {
    for (const channel of CHANNELS) client.subscribe(channel);
    await client.news();
    client.raw.connection.socket.pause();
  }
  return clients;
}

const numbers = (client: Client): number[] =>
  client.frames.filter(({ event }) => event === 'news').map(({ data }) => Number.parseInt(String(data), 10));

const isRising = (seen: readonly number[]): boolean =>
  seen.every((number, index) => number > (seen[index - 1] ?? -1));

describe('clients that do not read while very much is published in one turn', () => {
  it('are closed with 4100, each for itself, and everybody else goes on', async () => {
    const room = await openRoom({ env: BOUNDS });
    const clients = await silent(room, 8);
    const other = await room.connect();
    other.subscribe('other');
    await other.news();
    for (const [index, channel] of CHANNELS.entries()) room.publish(channel, `${index} ${PADDING}`);
    await turn();
    room.publish('other', 'still here');
    expect(await other.news()).toEqual(['news other still here']);
    await room.settled(1);
    for (const client of clients) {
      client.raw.connection.socket.resume();
      await client.untilClose();
      const seen = numbers(client);
      expect(seen).toEqual(Array.from({ length: seen.length }, (_, index) => index));
    }
    expect(await room.metric('ws_slow_consumer_disconnects_total')).toBe(clients.length);
    other.close();
    await room.expectNothingLeft();
  });

  it('are closed all the same where messages have places, so that none is missing unnoticed', async () => {
    const env = {
      ...BOUNDS,
      WEBSOCKET_DISCONNECT_ON_BUFFER_FULL: 'false',
      CONNECTION_RECOVERY_ENABLED: 'true',
    };
    const room = await openRoom({ env });
    const clients: ClientV2[] = [];
    for (const names of [CHANNELS, ['channel-*']]) {
      const client = await ClientV2.connect(room.port, 'messagepack');
      for (const name of names) client.subscribe(name);
      await client.heard();
      client.reads = false;
      clients.push(client);
    }
    for (const [index, channel] of CHANNELS.entries()) await room.publish(channel, `${index} ${PADDING}`);
    await room.settled(0);
    for (const client of clients) {
      client.reads = true;
      // Where not even a close frame finds room, the connection ends without one.
      expect([4100, null]).toContain(await client.untilClose().catch(() => null));
      const seen = client.frames.filter(({ event }) => event === 'news').map(({ channel }) => channel);
      expect(seen).toEqual(CHANNELS.slice(0, seen.length));
    }
    expect(await room.metric('ws_slow_consumer_disconnects_total')).toBe(clients.length);
    await room.expectNothingLeft();
  });

  it('lose exactly what is counted as dropped where they are kept', async () => {
    const room = await openRoom({ env: { ...BOUNDS, WEBSOCKET_DISCONNECT_ON_BUFFER_FULL: 'false' } });
    const clients = await silent(room, 3);
    for (const client of clients) client.signin('ada');
    await eventually(() => room.hub.occupancy.counters('shop').authenticated_connections === 3);
    let published = 0;
    for (const channel of CHANNELS) room.publish(channel, `${published++} ${PADDING}`);
    // Frames to single clients have the same bound.
    for (let count = 0; count < 3; count += 1)
      room.publish('#server-to-user-ada', `${published++} ${PADDING}`);
    for (const client of clients) client.raw.connection.socket.resume();
    await eventually(() => room.gateway.connections.every(({ socket }) => socket?.bufferedBytes === 0));
    let lost = 0;
    for (const client of clients) {
      await client.heard();
      const seen = numbers(client);
      expect(isRising(seen)).toBe(true);
      lost += published - seen.length;
    }
    expect(lost).toBeGreaterThan(0);
    expect(await room.metric('ws_messages_dropped_total')).toBe(lost);
    for (const client of clients) client.close();
    await room.expectNothingLeft();
  });
});
