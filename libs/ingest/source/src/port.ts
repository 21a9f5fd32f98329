import type { IngestEvent } from './event.js';
import type { Outcome } from './outcome.js';

/** State of a source, for probes and metrics. */
export interface SourceStatus {
  /** Null: connected. Otherwise why it is not. */
  readonly problem: string | null;
  /** Partitions that this process reads; 1 or 0 for a source without partitions. */
  readonly partitionsOwned: number;
  /** Events that have not ended, counted to 100,000. */
  readonly lagRows: number;
  /** Age of the oldest event that has not ended; 0 without any. */
  readonly lagSeconds: number;
  /** Dead letters in the source; null if the source does not count them. */
  readonly deadLetters: number | null;
}

/** Publishes the events of a source. */
export interface EventSink {
  /**
   * Publishes an event in the order of the calls per (app, channel) and resolves when it has ended. Never rejects. No
   * publish starts after `lease` has ended; the outcome is `abandoned` then.
   */
  deliver(event: IngestEvent, lease: Lease): Promise<Outcome>;
  /** Counts one query or fetch. */
  counted(): void;
  /** Counts a message that is no command, by its code. */
  refused(code: string): void;
  /** Counts a message that asks for nothing. */
  skipped(): void;
}

/** Right of this process to publish what it fetched. */
export interface Lease {
  /** Whether no publish may start any more. */
  readonly isEnded: boolean;
  /** Aborted when the lease ends. */
  readonly signal: AbortSignal;
  /** Absent: events of the source name messages by their serials only. */
  readonly messages?: MessageMap;
}

/** Serials of messages that the source published with a `message_id`. */
export interface MessageMap {
  /** Null: not found. */
  serialOf(app: string, channel: string, messageId: string): Promise<string | null>;
  /** Valid for the next event of the channel, stored with the end of the event. */
  remember(app: string, channel: string, messageId: string, serial: string): void;
}

/**
 * A source of publish commands. Every driver promises:
 *
 * - Every committed command reaches `deliver` until it has ended as accepted or dead, also after a restart of any process.
 * - Commands of one (app, channel) reach `deliver` in the order of the source.
 * - At most `max_in_flight` events and `max_in_flight_bytes` bytes are fetched and have not ended.
 * - An event that has ended as accepted or dead and whose end was stored does not reach `deliver` again; its dead letter is
 *   stored before or together with that.
 * - Connections are re-established for ever; `start` does not wait for the first one and never rejects.
 */
export interface IngestSource {
  readonly name: string;
  start(sink: EventSink): void;
  /** Stops fetching, waits until the events in flight have ended (at most until `signal` aborts), stores their ends. */
  stop(signal: AbortSignal): Promise<void>;
  status(): SourceStatus;
}
