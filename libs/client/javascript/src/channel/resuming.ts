import type { Frame } from '../format/frame.js';
import type { Position } from './continuity.js';

/** A channel and this client's position in it. */
export type Standing = readonly [name: string, position: Position];

/**
 * Characters of one request to recover. The service closes the connection for a frame that is too large, and on the next one the
 * same would be asked; it takes 64 KiB and 1000 channels at once where it is set as usual.
 */
const LONGEST = 16_000;

/** Builds a frame that requests missed messages of these channels. */
export const resumeFrame = (standings: readonly Standing[]): Frame => ({
  event: 'service:resume',
  data: {
    channel_positions: Object.fromEntries(standings.map(([name, at]) => [name, positionToWire(at)])),
  },
});

/** Requests missed messages of all channels, split into as many frames as needed. */
export function resumeFrames(standings: readonly Standing[]): readonly Frame[] {
  const parts: Standing[][] = [];
  let length = Infinity;
  for (const standing of standings) {
    const more = JSON.stringify(standing).length;
    if (length + more > LONGEST) {
      parts.push([]);
      length = 0;
    }
    parts.at(-1)?.push(standing);
    length += more;
  }
  return parts.map(resumeFrame);
}

const positionToWire = ({ streamId, serial, lastMessageId }: Position): object => ({
  stream_id: streamId,
  serial,
  last_message_id: lastMessageId,
});
