import { expect, it } from 'vitest';
import { eventually, openRoom } from './room.js';

const ABSENT_MS = 10_000;
const alone = async (): Promise<boolean> => false;
const everybody = async (): Promise<boolean> => true;

it('a process that alone was out of reach for 10 s closes with 4100 and lets nobody in until it is back', async () => {
  const room = await openRoom();
  const clients = [await room.connect(), await room.connect()];
  room.fabric.listener?.outOfReach?.(ABSENT_MS, alone);
  for (const client of clients) expect(await client.untilClose()).toBe(4100);
  const late = await room.connect();
  expect(await late.untilClose()).toBe(4100);
  room.fabric.listener?.inReachAgain?.();
  await room.connect();
  expect(room.connected).toBe(1);
});

it('who was not sent away yet stays when the process is back', async () => {
  const room = await openRoom();
  await Promise.all(Array.from({ length: 60 }, () => room.connect()));
  room.fabric.listener?.outOfReach?.(ABSENT_MS, alone);
  // The first batch is fifty.
  await eventually(() => room.connected <= 10);
  room.fabric.listener?.inReachAgain?.();
  // Long enough for another batch.
  await new Promise((resolve) => void setTimeout(resolve, 250));
  expect(room.connected).toBe(10);
});

it('while the broker is away for everybody, clients stay and others are let in', async () => {
  const room = await openRoom();
  await room.connect();
  room.fabric.listener?.outOfReach?.(ABSENT_MS, everybody);
  await new Promise((settled) => setImmediate(settled));
  await room.connect();
  expect(room.connected).toBe(2);
});
