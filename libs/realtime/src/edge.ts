import type { Message } from '@carillon/protocol';
import type { Subscriber } from './subscriber/subscriber.js';

/** How much may wait for one subscriber of a channel while something must reach it first. */
export interface HoldBounds {
  /** Frames; Infinity: no bound. */
  readonly maxFrames: number;
  readonly maxBytes: number;
}

/**
 * A protocol as the hub sees it: what differs between subscribers beside their frames. One object per protocol, shared by
 * all its subscribers. Nothing here throws or waits.
 */
export interface Edge {
  /** What logs call the protocol. */
  readonly protocol: number | string;
  /** How long a membership outlives its connection when that may come back, in milliseconds. */
  readonly leaseMs: number;
  /** Whether its clients are told where channels stand, and may go on there later. Absent: they are not. */
  readonly tellsPositions?: boolean;
  /** Absent: as much as may wait for a client that does not read. */
  readonly holds?: HoldBounds;
  /**
   * The subscriber has lost live events of a channel that it has or is about to have, for good; more may come to it. Absent: who
   * may not be held back any longer is closed, and of a gap clients are told by their codec.
   */
  lost?(subscriber: Subscriber, channel: string, view: string | undefined): void;
  /** Takes a connection out of a channel by order of an operator and notifies its client. Absent: the hub does. */
  remove?(subscriber: Subscriber, channel: string): Promise<void>;
  /**
   * Whether whoever sent a message gets it too, in this view of the channel. Asked of the sender alone, if it is here, and of
   * clients' messages alone.
   */
  echoes(sender: Subscriber, message: Message, view: string | undefined): boolean;
}
