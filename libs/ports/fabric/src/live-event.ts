/** What a frame of the service says of how something is now, so that one that comes late is known to be old. */
export interface Standing {
  /** Which user of the channel; null: the channel itself. */
  readonly userId: string | null;
  readonly isPresent: boolean;
  /** Of two states of the same, the later one has the higher. */
  readonly serial: number;
}

/** The longest an event may stay unique: what receivers keep in mind is bounded. */
export const MAX_UNIQUE_MS = 60_000;

/** One event of one channel on its way to subscribers. */
export interface LiveEvent {
  /**
   * The event's own id on the fabric: unique per event, never taken from a client or a caller as it is. Whoever receives
   * two events with one id takes the second for a copy and drops it.
   */
  readonly messageId: string;
  readonly appId: string;
  readonly channel: string;
  /** The whole frame that protocol 1 subscribers get, encoded once where it was published. */
  readonly frameText: string;
  /** The socket that must not get it; null: nobody is left out. */
  readonly exceptSocketId: string | null;
  /** The publisher's clock, in fractional milliseconds since 1970; for latency only. */
  readonly publishedAtMs: number;
  /** Absent: an event like any other. */
  readonly standing?: Standing;
  /**
   * Its id was not made for it but follows from what is published, so that a publish tried again, by whichever process,
   * is delivered once: for so long from its first delivery, and at most `MAX_UNIQUE_MS`. Absent: its id was made for it.
   */
  readonly uniqueForMs?: number;
}
