import type { Message } from '@carillon/protocol';
import type { Subscriber } from './subscriber/subscriber.js';

/** Bounds of held frames for one subscriber of a channel. */
export interface HoldBounds {
  /** Infinity: unlimited. */
  readonly maxFrames: number;
  readonly maxBytes: number;
}

/**
 * Protocol adapter as seen by the hub: everything that differs between subscribers besides their frames. One object
 * per protocol, shared by all its subscribers. No method throws or blocks.
 */
export interface Edge {
  /** Name of the protocol in logs. */
  readonly protocol: number | string;
  /** Lease of a membership after its connection broke, in milliseconds. */
  readonly leaseMs: number;
  /** Whether clients receive channel positions and may resume from them. Absent: they do not. */
  readonly tellsPositions?: boolean;
  /** Absent: the bounds of the outbound queue of a slow client. */
  readonly holds?: HoldBounds;
  /**
   * Live events of a subscribed or pending channel were permanently lost for the subscriber; more may follow. Absent:
   * a subscriber that exceeds its hold bounds is closed, and gaps are reported by its codec.
   */
  lost?(subscriber: Subscriber, channel: string, view: string | undefined): void;
  /** Removes a connection from a channel by order of an operator and notifies its client. Absent: the hub does. */
  remove?(subscriber: Subscriber, channel: string): Promise<void>;
  /**
   * Whether the sender of a message also receives it, in this view of the channel. Called for client messages with a
   * local sender only.
   */
  echoes(sender: Subscriber, message: Message, view: string | undefined): boolean;
}
