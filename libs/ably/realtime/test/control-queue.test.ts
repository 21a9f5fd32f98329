import * as fc from 'fast-check';
import type { Hub } from '@carillon/realtime';
import type { Presence } from '@carillon/presence';
import { expect, it } from 'vitest';
import type { CompatConnection } from '../src/connection.js';
import { ControlQueue } from '../src/control-queue.js';
import { FrameWriter } from '../src/frame-writer.js';

const KIB = 1024;
const step = fc.oneof(
  fc.record({ kind: fc.constantFrom('control' as const, 'data' as const), bytes: fc.nat(20 * KIB) }),
  fc.record({ kind: fc.constant('read' as const), bytes: fc.constant(0) }),
);

it('lets 32 frames or 64 KiB of control wait, whatever else does (23)', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (program) => {
      const queue = new ControlQueue();
      const model: { isControl: boolean; bytes: number }[] = [];
      const lane = { size: 0, taken: 0 };
      for (const { kind, bytes } of program) {
        if (kind === 'read') {
          if (model.shift() !== undefined) lane.taken += 1;
          continue;
        }
        if (kind === 'control') {
          const control = model.filter(({ isControl }) => isControl);
          const waiting = control.reduce((sum, one) => sum + one.bytes, 0);
          const fits = control.length < 32 && waiting + bytes <= 64 * KIB;
          lane.size = model.length;
          expect(queue.add(lane, bytes)).toBe(fits);
          if (!fits) continue;
        }
        model.push({ isControl: kind === 'control', bytes });
      }
    }),
  );
});

/** A connection with a client that does not read, and the recorded actions. */
function scene() {
  const done: unknown[] = [];
  const connection = { hub: { tap: null }, manner: { format: 'json' }, lane: { size: 0, taken: 0 } };
  const outlet = {
    sendFrame: () => void (connection.lane.size += 1),
    terminate: (_: unknown, reason: string) => void done.push(reason),
  };
  const said = new FrameWriter({ outlet } as unknown as Hub, {} as Presence, { said: () => undefined });
  const say = (frame: object): void => said.say(connection as unknown as CompatConnection, frame);
  return { say, done, connection };
}

it('a client that does not read its answers is cut off, and may come back', () => {
  const { say, done } = scene();
  // Frames of a channel are ordered with its messages and count with them.
  for (let serial = 0; serial < 100; serial += 1) say({ action: 11, channel: `c${serial}` });
  for (let msgSerial = 0; msgSerial < 32; msgSerial += 1) say({ action: 1, msgSerial, count: 1 });
  expect(done).toEqual([]);
  say({ action: 0 });
  expect(done).toEqual(['over_capacity']);
});

it('one that reads again is not', () => {
  const { say, done, connection } = scene();
  for (let msgSerial = 0; msgSerial < 100; msgSerial += 1) {
    say({ action: 1, msgSerial, count: 1 });
    connection.lane.size -= 1;
    connection.lane.taken += 1;
  }
  expect(done).toEqual([]);
});
