import type { RevokedTokens } from '@carillon/broker';
import { describe, expect, it } from 'vitest';
import { record } from '../samples.js';
import type { Client } from './client.js';
import { openRoom, type Room } from './room.js';

const FAREWELL = [
  { event: 'pusher:token_expired', data: { code: 40_160, reason: 'revoked' } },
  { event: 'pusher:error', data: { code: 4009, message: 'capability token revoked' } },
];

/** Returns the reported number of closed connections. */
async function revoke(room: Room, revoked: Partial<RevokedTokens>, app = 'shop'): Promise<number> {
  const about = { jti: null, clientId: null, ...revoked };
  return (await room.broker.ask('token_revoked', app, about)).answer;
}

async function holder(room: Room, jti: string, clientId: string, app = 'shop'): Promise<Client> {
  const client = await room.connect({ app });
  room.hold(client, { jti, clientId });
  return client;
}

/** Receives the error, then the close code 4009. */
async function expectRevoked(client: Client): Promise<void> {
  expect(await client.untilClose()).toBe(4009);
  expect(client.frames).toEqual(FAREWELL);
}

async function expectSpared(...clients: readonly Client[]): Promise<void> {
  for (const client of clients) expect(await client.heard()).toEqual([]);
}

describe('a revocation', () => {
  it('of a token closes every connection that holds it and no other', async () => {
    const room = await openRoom();
    const both = [await holder(room, 't-1', 'u-1'), await holder(room, 't-1', 'u-1')];
    const spared = [await holder(room, 't-2', 'u-1'), await holder(room, 'u-1', 't-1'), await room.connect()];
    expect(await revoke(room, { jti: 't-1' })).toBe(2);
    for (const client of both) await expectRevoked(client);
    await expectSpared(...spared);
    for (const client of spared) client.close();
    await room.expectNothingLeft();
  });

  it('of a client closes what it holds by any token, but not who signed in as the user', async () => {
    const room = await openRoom();
    const all = [await holder(room, 't-1', 'u-1'), await holder(room, 't-2', 'u-1')];
    const spared = [await holder(room, 't-3', 'u-2'), await room.connect()];
    spared[1]?.signin('u-1');
    await spared[1]?.until('pusher:signin_success');
    spared[1]?.frames.splice(0);
    expect(await revoke(room, { clientId: 'u-1' })).toBe(2);
    for (const client of all) await expectRevoked(client);
    await expectSpared(...spared);
  });

  it('of both closes who holds either, each once', async () => {
    const room = await openRoom();
    const all = [
      await holder(room, 't-1', 'u-1'),
      await holder(room, 't-1', 'u-2'),
      await holder(room, 't-2', 'u-1'),
    ];
    const spared = await holder(room, 't-2', 'u-2');
    expect(await revoke(room, { jti: 't-1', clientId: 'u-1' })).toBe(3);
    for (const client of all) await expectRevoked(client);
    await expectSpared(spared);
    expect(await revoke(room, { jti: 't-1', clientId: 'u-1' })).toBe(0);
  });

  it('concerns one app, and none that has nobody here', async () => {
    const other = record({}, { id: 'other', key: 'other-key', secret: 'other-secret' });
    const room = await openRoom({ apps: [record(), other] });
    const client = await holder(room, 't-1', 'u-1');
    const neighbour = await holder(room, 't-1', 'u-1', 'other');
    expect(await revoke(room, { jti: 't-1', clientId: 'u-1' }, 'nowhere')).toBe(0);
    expect(await revoke(room, { jti: 't-1', clientId: 'u-1' })).toBe(1);
    await expectRevoked(client);
    await expectSpared(neighbour);
  });

  it('goes by the token that a connection holds now', async () => {
    const room = await openRoom();
    const client = await holder(room, 't-1', 'u-1');
    room.hold(client, { jti: 't-2', clientId: 'u-1' });
    expect(await revoke(room, { jti: 't-1' })).toBe(0);
    await expectSpared(client);
    expect(await revoke(room, { jti: 't-2' })).toBe(1);
    await expectRevoked(client);
  });

  it('takes members out at once, as having been sent away', async () => {
    const room = await openRoom();
    const watcher = await room.connect();
    watcher.subscribe('presence-a', 'watcher');
    await watcher.news();
    const client = await holder(room, 't-1', 'u-1');
    client.subscribe('presence-a', 'u-1');
    await client.until('pusher_internal:subscription_succeeded');
    client.frames.splice(0);
    expect(await revoke(room, { jti: 't-1' })).toBe(1);
    await expectRevoked(client);
    await room.settled(1);
    expect(room.presence.leaves).toEqual([{ userId: 'u-1', leaseMs: 0, cause: 'forced_disconnect' }]);
    expect((await watcher.news()).at(-1)).toBe('member_removed presence-a {"user_id":"u-1"}');
    expect(room.lines.some((line) => line.includes('"cause":"token_revoked"'))).toBe(true);
    watcher.close();
    await room.expectNothingLeft();
  });

  it('counts nobody twice whose end is decided already', async () => {
    const room = await openRoom();
    const client = await holder(room, 't-1', 'u-1');
    const about = { jti: 't-1', clientId: null };
    const { listener } = room.broker;
    expect([1, 2].map(() => listener?.answer('token_revoked', 'shop', about))).toEqual([1, 0]);
    await expectRevoked(client);
  });
});
