import { expect, it } from 'vitest';
import { resumeFrames, type Standing } from '../src/channel/resuming.js';
import { json } from '../src/format/json.js';

/** The default frame limit of the service. */
const MAX_FRAME_BYTES = 64 * 1024;

const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const standing = (n: number, name = `orders-${n}`): Standing => [
  name,
  { streamId: uuid(n), serial: n, lastMessageId: uuid(n) },
];

const positionsOf = (data: unknown): Record<string, object> =>
  (data as { channel_positions: Record<string, object> }).channel_positions;

it('resume is split into frames below the frame limit when 1,000 channels have UUID stream ids', () => {
  const standings = Array.from({ length: 1000 }, (_, n) => standing(n));
  const frames = resumeFrames(standings);
  const sizes = frames.map((frame) => Buffer.byteLength(json.encode(frame)));
  expect(sizes.reduce((sum, size) => sum + size)).toBeGreaterThan(MAX_FRAME_BYTES);
  expect(Math.max(...sizes)).toBeLessThan(MAX_FRAME_BYTES);
  const names = frames.flatMap(({ data }) => Object.keys(positionsOf(data)));
  expect(names).toEqual(standings.map(([name]) => name));
  expect(positionsOf(frames[0]?.data)['orders-0']).toEqual({
    stream_id: uuid(0),
    serial: 0,
    last_message_id: uuid(0),
  });
});

it('resume is split by bytes when channel names are 200 characters long and ids need escapes', () => {
  const ids = '\u0001'.repeat(64);
  const standings = Array.from({ length: 1000 }, (_, n): Standing => [
    `${n}-`.padEnd(200, 'x'),
    { streamId: uuid(n), serial: n, lastMessageId: ids },
  ]);
  for (const frame of resumeFrames(standings)) {
    expect(Buffer.byteLength(json.encode(frame))).toBeLessThan(MAX_FRAME_BYTES);
  }
});
