import { WireNames } from '@carillon/protocol';
import { describe, expect, it } from 'vitest';
import { FrameInfos } from '../src/frames/frame-info.js';
import { listDigest, positionPart } from '../src/position/position-id.js';
import { type ChannelStart, StreamPositions } from '../src/position/stream-positions.js';

const infos = new FrameInfos(new WireNames('service'));
const info = (frame: object) => infos.of(JSON.stringify(frame));
const message = (channel: string, serial: number, stream = 's') =>
  info({ event: 'news', channel, data: '1', stream_id: stream, serial });
const start = (channel: string, more: Partial<ChannelStart> = {}): ChannelStart => ({
  channel,
  rewinds: false,
  received: null,
  ...more,
});
const at = (serial: number, stream = 's') => ({ attachSerial: 0, position: { streamId: stream, serial } });

describe('the positions of a stream', () => {
  it('begin where the channels were joined and follow the messages of each', () => {
    const positions = new StreamPositions([start('a'), start('b')]);
    positions.attach('a', at(3));
    positions.attach('b', null);
    const list = listDigest(['a', 'b']);
    expect(positions.id).toBe(`1.${list}.${positionPart('s', 3)}.`);
    positions.take(message('a', 4));
    positions.take(message('other', 9));
    expect(positions.id).toBe(`1.${list}.${positionPart('s', 4)}.`);
    positions.take(message('a', 2));
    expect(positions.id).toContain(positionPart('s', 4));
    positions.take(message('a', 1, 'new'));
    expect(positions.id).toContain(positionPart('new', 1));
  });

  it('have none while a rewind runs', () => {
    const positions = new StreamPositions([start('a', { rewinds: true })]);
    positions.attach('a', at(5));
    positions.take(message('a', 4));
    positions.take(message('a', 6));
    expect(positions.id).toMatch(/\.~$/);
    positions.take(info({ event: 'service:rewind_complete', channel: 'a', data: {} }));
    expect(positions.id.endsWith(positionPart('s', 6))).toBe(true);
  });

  it('keep the received position until a resume has ended, and the head when it fails', () => {
    const received = positionPart('s', 2);
    const positions = new StreamPositions([start('a', { received }), start('b', { received })]);
    positions.attach('a', at(9));
    positions.attach('b', at(7));
    expect(positions.id).toBe(`1.${listDigest(['a', 'b'])}.${received}.${received}`);
    positions.take(message('a', 3));
    expect(positions.id.split('.')[2]).toBe(positionPart('s', 3));
    const recovered = [{ channel: 'a', position: { stream_id: 's', serial: 9 } }];
    positions.take(
      info({ event: 'service:resume_success', data: JSON.stringify({ recovered, failed: [] }) }),
    );
    positions.take(info({ event: 'service:resume_failed', channel: 'b', data: '{"code":"stream_reset"}' }));
    expect(positions.id.split('.').slice(2)).toEqual([positionPart('s', 9), positionPart('s', 7)]);
  });

  it('move behind a gap of the live order, and with what filters leave out', () => {
    const positions = new StreamPositions([start('a')]);
    positions.attach('a', at(1));
    const data = JSON.stringify({ current_stream_id: 's', newest_available_serial: 8 });
    positions.take(info({ event: 'service:resume_failed', channel: 'a', data }));
    expect(positions.id.endsWith(positionPart('s', 8))).toBe(true);
    expect(positions.distance('a', { streamId: 's', serial: 12 })).toBe(4);
    expect(positions.advance('a', { streamId: 's', serial: 12 })).toBe(4);
    expect(positions.id.endsWith(positionPart('s', 12))).toBe(true);
  });
});
