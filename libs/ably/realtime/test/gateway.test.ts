import { messageHandlers } from '@carillon/uws';
import { expect, it } from 'vitest';
import type { CompatConnection } from '../src/connection.js';
import { ACTION } from '../src/flags.js';
import { type FrameHandler, InboundFrames } from '../src/frames.js';
import type { Life } from '../src/life.js';
import { RealtimeGateway } from '../src/realtime.gateway.js';
import type { Realtime } from '../src/realtime.js';

/** Actions that only the server sends. */
const OF_THE_SERVER: ReadonlySet<string> = new Set([
  'ack',
  'attached',
  'closed',
  'connected',
  'detached',
  'disconnected',
  'error',
  'nack',
]);

const gateway = () => new RealtimeGateway({ life: {} } as unknown as Realtime);

it('subscribes one method to each action that a client may send', () => {
  const expected = Object.entries(ACTION).flatMap(([name, action]) =>
    OF_THE_SERVER.has(name) ? [] : [action],
  );
  expect([...messageHandlers(gateway()).keys()].toSorted()).toEqual(expected.toSorted());
});

it('ends the connection when a frame cannot be read, and ignores actions without a handler', () => {
  const refused: unknown[] = [];
  const handled: unknown[] = [];
  const life = { refuse: (_: unknown, error: unknown) => refused.push(error) } as unknown as Life;
  const handler: FrameHandler = (_, frame, bytes) => void handled.push([frame, bytes]);
  const frames = new InboundFrames(life, new Map([[ACTION.attach, handler]]));
  const connection = { hub: { tap: null }, manner: { format: 'json' } } as unknown as CompatConnection;
  for (const text of ['{"action":10}', '{"action":99}', '{"action":"10"}', '{']) {
    frames.take(connection, Buffer.from(text), false);
  }
  frames.take(connection, Buffer.from('{"action":10}'), true);
  expect(handled).toEqual([[{ action: 10 }, 13]]);
  expect(refused).toHaveLength(3);
});
