import type { Message } from '@carillon/protocol';
import type { Publication, Receipt } from './publication.js';

/**
 * The one way every event takes to its subscribers: of a channel with a history, its commit, then every process; of
 * any other, the last-event store (cache channels), then every process. Returns
 * the receipt itself when nothing had to be waited for, so that the live path of one process never waits.
 */
export interface Publisher {
  /**
   * Rejects with `ServiceError` `service_unavailable` when other processes could not be reached; local delivery has
   * happened. Rejects with `backpressure` when too much waits for the channel's store; then nothing was stored or
   * sent. An event of a durable channel that was not committed in time rejects with `service_unavailable`: it was not
   * delivered, but it may still be committed, once. An event whose key belongs to another message rejects with
   * `conflict`.
   */
  publish(publication: Publication): Receipt | Promise<Receipt>;
}

/** Publisher for server requests with several events. */
export interface BatchPublisher extends Publisher {
  /**
   * Publishes events of durable channels strictly in order, in as few commits as possible. Stops at the first failure
   * and rejects with a `SeriesFailure` with its index and error; earlier events stay published.
   */
  publishSeries(publications: readonly Publication[]): Promise<readonly Receipt[]>;
}

/** The last event of a cache channel: the message with everything that any protocol shows of it. */
export interface LastEvent extends Message {
  /** Milliseconds until it is forgotten. */
  readonly ttlMs: number;
}

/** The last events of cache channels, shared by all processes. */
export interface LastEvents {
  /** Null: none, expired or unreadable. Rejects when the store cannot be reached. */
  read(appId: string, channel: string): Promise<LastEvent | null>;
}
