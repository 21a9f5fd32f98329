import type { MemberRemoved } from '@carillon/protocol';
import type { Codec } from '../codec.js';
import type { Outlet } from '../delivery/outlet.js';
import type { Subscriber } from '../subscriber/subscriber.js';
import type { Audience } from './audience.js';
import { PendingFrames } from './pending-frames.js';

/** A subscriber, and the codec of its frames. */
interface Receiver {
  readonly subscriber: Subscriber;
  readonly audience: Audience;
}

/** Holds and releases the delivery of a channel. */
interface Held {
  hold(gate: PendingFrames): void;
  release(gate: PendingFrames): void;
}

/** Returns the connections of a user. */
export function receiversOf(
  audiences: Iterable<Audience>,
  isOf: (subscriber: Subscriber, codec: Codec) => boolean,
): Receiver[] {
  const receivers: Receiver[] = [];
  for (const audience of audiences)
    for (const subscriber of audience.subscribers)
      if (isOf(subscriber, audience.codec)) receivers.push({ subscriber, audience });
  return receivers;
}

/**
 * Corrects a false departure: a user with a socket in this process is still present, even if other processes
 * considered this one dead; a process never observes its own departure. Announces the user again to the store and to
 * others. Returns the number of receivers.
 */
export function tellOthers(
  channel: Held,
  outlet: Outlet,
  { serial }: MemberRemoved,
  own: readonly Receiver[],
  tell: () => number,
): number {
  const gates = own.map(({ subscriber, audience }) => new PendingFrames(subscriber, outlet, audience.codec));
  for (const gate of gates) channel.hold(gate);
  const receivers = tell();
  for (const gate of gates) {
    gate.shown(serial);
    channel.release(gate);
  }
  return receivers - gates.length;
}
