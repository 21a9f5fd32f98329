/** One event for one channel, already judged by the rules of whoever asked for it. */
export interface Publication {
  readonly appId: string;
  readonly channel: string;
  readonly event: string;
  /**
   * JSON text of the payload, sent on as it is. A server publish has a string, so its text is quoted; null: a client
   * gave none, and receivers get none.
   */
  readonly dataText: string | null;
  /** The sender of a client event on a presence channel, else null. */
  readonly userId: string | null;
  /** The connection that must not receive it, else null. */
  readonly exceptSocketId: string | null;
  /** The publisher's own id for it; null: one is made. */
  readonly messageId: string | null;
  /** Whether later subscribers are shown it: a server publish to a cache channel, never what a client said. */
  readonly isLastEvent: boolean;
}

/** What came of it. */
export interface Receipt {
  /** The publisher's id or the one that was made. */
  readonly messageId: string;
}
