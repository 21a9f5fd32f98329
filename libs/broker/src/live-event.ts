import type { SharedFact } from '@carillon/protocol';

/** The longest an event may stay unique: what receivers keep in mind is bounded. */
export const MAX_UNIQUE_MS = 60_000;

/** One fact on its way to subscribers, whatever protocols they speak. */
export interface LiveEvent {
  /**
   * The event's own id on the fabric: unique per event, never taken from a client or a caller as it is. Whoever receives
   * two events with one id takes the second for a copy and drops it.
   */
  readonly eventId: string;
  readonly appId: string;
  /** Whom it reaches: those in this process who wanted this channel. */
  readonly channel: string;
  readonly fact: SharedFact;
  /** The socket that must not get it; null: nobody is left out. */
  readonly exceptSocketId: string | null;
  /** The publisher's clock, in fractional milliseconds since 1970; for latency only. */
  readonly publishedAtMs: number;
  /**
   * Its id was not made for it but follows from what is published, so that a publish tried again, by whichever process,
   * is delivered once: for so long from its first delivery, and at most `MAX_UNIQUE_MS`. Absent: its id was made for it.
   */
  readonly uniqueForMs?: number;
}
