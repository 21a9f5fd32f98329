import { connect } from 'node:net';
import { RawSocketClient } from '@carillon/testing';
import { describe, expect, it } from 'vitest';
import { Hold } from './ports.js';
import { eventually, openRoom, type Room } from './room.js';

const LIMIT = 2;

/** A room that shares its apps with other processes. */
const sharedRoom = (limits: object = { max_connections: LIMIT }): Promise<Room> =>
  openRoom({ env: { ADAPTER_DRIVER: 'nats', CACHE_DRIVER: 'redis' }, policy: { limits } });

/** Upgrade request of a client. */
const HANDSHAKE = `GET /app/shop-key?protocol=7 HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`;

describe('the connections of an app over all processes', () => {
  it('are counted before one is let in, and a place is free again when one has gone', async () => {
    const room = await sharedRoom();
    const quota = room.connectionQuota;
    quota.taken = 1;
    const first = await room.connect();
    expect(quota.taken).toBe(LIMIT);
    const second = await room.connect();
    expect((await second.news()).join()).toContain('4004');
    expect(quota.taken).toBe(LIMIT);
    first.close();
    await room.settled(0);
    expect(quota.taken).toBe(1);
    const third = await room.connect();
    expect([third.socketId === '', quota.taken]).toEqual([false, LIMIT]);
    third.close();
    await room.expectNothingLeft();
  });

  it('do not keep the place of a client that goes while it is counted', async () => {
    const room = await sharedRoom();
    const hold = new Hold();
    room.connectionQuota.hold = hold;
    const lost = connect(room.port, '127.0.0.1');
    lost.write(HANDSHAKE);
    await eventually(() => room.connectionQuota.asked === 1);
    lost.destroy();
    // The server has noticed once it answers a later connection.
    const later = await room.connect({ path: '/app/none?protocol=7' });
    later.close();
    hold.release();
    await eventually(() => room.connectionQuota.given === 1);
    expect(room.connectionQuota.taken).toBe(0);
    await room.expectNothingLeft();
  });

  it('are upgraded at once; what comes before they are let in is read then', async () => {
    const room = await sharedRoom();
    const hold = new Hold();
    room.connectionQuota.hold = hold;
    const raw = await RawSocketClient.open(room.port, '/app/shop-key?protocol=7');
    expect(raw.answer.status).toBe(101);
    raw.sendText('{"event":"pusher:subscribe","data":{"channel":"news"}}');
    await eventually(() => room.connectionQuota.asked === 1);
    hold.release();
    expect(await raw.nextText()).toContain('pusher:connection_established');
    expect(await raw.nextText()).toContain('pusher_internal:subscription_succeeded');
    raw.destroy();
    await room.expectNothingLeft();
  });

  it('are told to come again when nobody can count them', async () => {
    const room = await sharedRoom();
    const hold = new Hold();
    room.connectionQuota.hold = hold;
    const raw = await RawSocketClient.open(room.port, '/app/shop-key?protocol=7');
    hold.fail();
    expect(await raw.nextText()).toContain('"code":4100');
    expect(await raw.closeCode()).toBe(4100);
    raw.destroy();
    await room.expectNothingLeft();
  });

  it('are not counted where there is no limit', async () => {
    const room = await sharedRoom({ max_connections: 0 });
    const client = await room.connect();
    expect(room.connectionQuota.asked).toBe(0);
    client.close();
    await room.expectNothingLeft();
  });
});
