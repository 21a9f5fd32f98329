import { RawSocketClient } from '@carillon/testing';
import { expect, it } from 'vitest';
import { CUT_OFF, eventually, openRoom, type Room } from './room.js';

const ABSENT_MS = 10_000;

/** The status that an upgrade is refused with; null: it is accepted. */
const refusalOf = async ({ port }: Room): Promise<number | null> => {
  const raw = await RawSocketClient.open(port, '/app/shop-key?protocol=7');
  const { status } = raw.answer;
  raw.destroy();
  return status === 101 ? null : status;
};

it('a node closes its sockets with 4200 and refuses new ones with 503 when only it has lost the broker', async () => {
  const room = await openRoom();
  const clients = [await room.connect(), await room.connect()];
  room.broker.listener?.outOfReach?.(ABSENT_MS, CUT_OFF);
  for (const client of clients) expect(await client.untilClose()).toBe(4200);
  expect(await refusalOf(room)).toBe(503);
  room.broker.listener?.inReachAgain?.();
  await room.connect();
  expect(room.connected).toBe(1);
});

it('a node keeps sockets that it has not closed yet when it reaches the broker again', async () => {
  const room = await openRoom();
  await Promise.all(Array.from({ length: 60 }, () => room.connect()));
  room.broker.listener?.outOfReach?.(ABSENT_MS, CUT_OFF);
  // The first batch is fifty.
  await eventually(() => room.connected <= 10);
  room.broker.listener?.inReachAgain?.();
  // Long enough for another batch.
  await new Promise((resolve) => void setTimeout(resolve, 250));
  expect(room.connected).toBe(10);
});

it('a node keeps its sockets and accepts new ones when no other node is known', async () => {
  const room = await openRoom();
  await room.connect();
  room.broker.listener?.outOfReach?.(ABSENT_MS, { ...CUT_OFF, peers: () => [] });
  await new Promise((settled) => setImmediate(settled));
  await room.connect();
  expect(room.connected).toBe(2);
});
