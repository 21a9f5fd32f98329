import type { SharedFact } from '@carillon/protocol';

/** Upper bound of the deduplication time of an event: the memory of receivers is bounded. */
export const MAX_UNIQUE_MS = 60_000;

/** One event on its way to subscribers, independent of their protocols. */
export interface LiveEvent {
  /**
   * Id of the event between processes: unique per event, never copied from a client. Receivers drop a second event
   * with the same id as a duplicate.
   */
  readonly eventId: string;
  readonly appId: string;
  /** Channel whose local subscribers receive the event. */
  readonly channel: string;
  readonly fact: SharedFact;
  /** Socket excluded from delivery; null: none. */
  readonly exceptSocketId: string | null;
  /** The publisher's clock, in fractional milliseconds since 1970; for latency only. */
  readonly publishedAtMs: number;
  /**
   * Set when the id is derived from the publication, so that a retry by any process is delivered once: for this time
   * from its first delivery, at most `MAX_UNIQUE_MS`. Absent: the id was generated for this event.
   */
  readonly uniqueForMs?: number;
}
