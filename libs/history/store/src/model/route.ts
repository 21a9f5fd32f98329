import { createHash } from 'node:crypto';

/** Spreads channels over lanes: 31 bits of a hash of the app and the channel. */
export function routeOf(appId: string, channel: string): number {
  const hash = createHash('sha256').update(`${appId}\0${channel}`).digest();
  return hash.readUInt32BE(0) & 0x7fff_ffff;
}

/** Returns the lane of a channel. */
export const laneOf = (appId: string, channel: string, lanes: number): number =>
  routeOf(appId, channel) % lanes;
