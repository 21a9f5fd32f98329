import type { MemberRemoved } from '@carillon/protocol';
import type { Codec } from '../codec.js';
import type { Outlet } from '../delivery/outlet.js';
import type { Subscriber } from '../subscriber/subscriber.js';
import type { Audience } from './audience.js';
import { Gate } from './gate.js';

/** A subscriber, and whom it is told things with. */
interface Receiver {
  readonly subscriber: Subscriber;
  readonly audience: Audience;
}

/** What holds back and lets go. */
interface Held {
  hold(gate: Gate): void;
  release(gate: Gate): void;
}

/** The connections of a user. */
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
 * A user who has a socket here is still here, whatever others took it for while they did not hear of this process: it
 * never sees itself leave. The store is told again that it is here, and others are. Returns how many.
 */
export function tellOthers(
  channel: Held,
  outlet: Outlet,
  { serial }: MemberRemoved,
  own: readonly Receiver[],
  tell: () => number,
): number {
  const gates = own.map(({ subscriber, audience }) => new Gate(subscriber, outlet, audience.codec));
  for (const gate of gates) channel.hold(gate);
  const receivers = tell();
  for (const gate of gates) {
    gate.shown(serial);
    channel.release(gate);
  }
  return receivers - gates.length;
}
