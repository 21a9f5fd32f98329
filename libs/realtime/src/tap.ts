import type { Fact, Message } from '@carillon/protocol';
import type { Frame, Frames } from './codec.js';
import type { Topic } from './channels/topic.js';
import type { Arrived } from './delivery/arrived.js';
import type { EndCause } from './leave/departure.js';
import type { Subscriber } from './subscriber/subscriber.js';

/** Close code and reason of a connection. */
export interface ClosedAs {
  readonly code: number;
  readonly cause: EndCause;
}

/** An accepted message of a connection. */
export type AcceptedMessage = Pick<Message, 'channel' | 'dataText' | 'event'> & {
  readonly messageId: string | null;
};

/** A refused request whose response is not a frame of the hub. */
export interface Refusal {
  readonly code: number;
  readonly reason: string;
  readonly channel: string | null;
  /** Whether the refused request is a subscribe. */
  readonly isSubscribe: boolean;
}

/**
 * Receives the events of connections and channels of one app in this process while a tail is open. Called
 * synchronously on the socket loop: methods neither throw nor block.
 */
export interface AppTap {
  connected(subscriber: Subscriber): void;
  closed(subscriber: Subscriber, as: ClosedAs): void;
  subscribed(subscriber: Subscriber, channel: string): void;
  unsubscribed(subscriber: Subscriber, channel: string): void;
  /** A fact was delivered to the local subscribers of its channel. */
  delivered(event: Arrived, receivers: number): void;
  /** A fact was sent to the subscribers of a native topic, possibly except one. */
  told(topic: Topic, frames: Frames, except: Subscriber | null): void;
  /** A fact was sent to a single connection. */
  sent(subscriber: Subscriber, fact: Fact, frame: Frame): void;
  /** A message of a connection was accepted. */
  accepted(subscriber: Subscriber, message: AcceptedMessage): void;
  refused(subscriber: Subscriber, refusal: Refusal): void;
  /** Another protocol frame was received or sent. */
  frame(subscriber: Subscriber, direction: 'in' | 'out', event: string, bytes: number): void;
}
