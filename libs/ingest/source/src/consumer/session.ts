import type { DeadLetter, ReceivedMessage } from './message.js';

/** A connection to a stream, from which one process consumes. Any failure ends it; messages without an end come again. */
export interface ConsumerSession {
  /** Aborted when the session is lost. */
  readonly signal: AbortSignal;
  /** At most `max` messages in the order of the stream; waits up to a second for the first. */
  fetch(max: number): Promise<readonly ReceivedMessage[]>;
  /** Marks the end of a message. */
  acknowledge(message: ReceivedMessage): Promise<void>;
  /** Rejects if it was not stored. */
  storeDeadLetter(letter: DeadLetter): Promise<void>;
  /** Keeps the broker from redelivering messages in flight; called every 5 s. */
  renew(): Promise<void>;
  close(): Promise<void>;
}

/** Opens sessions of one configured stream. */
export interface ConsumerDriver {
  open(): Promise<ConsumerSession>;
}
