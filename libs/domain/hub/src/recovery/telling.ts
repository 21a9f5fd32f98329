import { pause } from '@carillon/runtime';
import type { Codec, Frames } from '../codec.js';
import type { Outlet } from '../delivery/outlet.js';
import type { Subscriber } from '../subscriber/subscriber.js';

const LOOK_MS = 10;
/** A client that has not read what it asked for in this time gets the rest at once, as its bounds allow. */
const PATIENCE_MS = 10_000;

/**
 * Tells one subscriber many messages of the past, no faster than it reads. Returns how many it was told: its codec keeps
 * some from it.
 */
export async function tellPast(
  outlet: Outlet,
  subscriber: Subscriber,
  codec: Codec,
  past: Iterable<Frames>,
): Promise<number> {
  const said = codec.held ?? codec;
  let told = 0;
  let waitedMs = 0;
  for (const frames of past) {
    while (subscriber.lane !== null && subscriber.isOpen && waitedMs < PATIENCE_MS) {
      await pause(LOOK_MS);
      waitedMs += LOOK_MS;
    }
    if (!subscriber.isOpen) return told;
    const frame = frames.of(said);
    if (frame === null) continue;
    outlet.sendFrame(subscriber, frame);
    told += 1;
  }
  return told;
}
