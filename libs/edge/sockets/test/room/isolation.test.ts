import { rawHttp } from '@carillon/testing';
import { expect, it } from 'vitest';
import { eventually, openRoom } from './room.js';

const ABSENT_MS = 10_000;
const upgrade = {
  path: '/app/shop-key?protocol=7',
  headers: {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
  },
};

it('a process that was out of reach for 10 s closes with 4200 and lets nobody in until it is back', async () => {
  const room = await openRoom({ env: { SHUTDOWN_GRACE_PERIOD: '0' } });
  const clients = [await room.connect(), await room.connect()];
  room.fabric.listener?.outOfReach?.(ABSENT_MS);
  for (const client of clients) expect(await client.untilClose()).toBe(4200);
  const { status, body } = await rawHttp(room.port, upgrade);
  expect([status, JSON.parse(body)]).toMatchObject([503, { error: 'ERROR', code: 'service_unavailable' }]);
  room.fabric.listener?.inReachAgain?.();
  await room.connect();
  expect(room.connected).toBe(1);
});

it('who was not sent away yet stays when the process is back', async () => {
  const room = await openRoom({ env: { SHUTDOWN_GRACE_PERIOD: '3600' } });
  await Promise.all(Array.from({ length: 60 }, () => room.connect()));
  room.fabric.listener?.outOfReach?.(ABSENT_MS);
  // The first batch is fifty.
  await eventually(() => room.connected === 10);
  room.fabric.listener?.inReachAgain?.();
  // Long enough for another batch.
  await new Promise((resolve) => void setTimeout(resolve, 250));
  expect(room.connected).toBe(10);
});
