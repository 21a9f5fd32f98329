import type { Message } from '@carillon/protocol';
import type { Publication, Receipt } from './publication.js';

/**
 * The one way every event takes to its subscribers: of a channel with a history, its commit, then every process; of
 * any other, the last-event store (cache channels), then every process. Returns
 * the receipt itself when nothing had to be waited for, so that the live path of one process never waits.
 */
export interface Publisher {
  /**
   * Rejects with `ServiceError` `service_unavailable` when other processes could not be reached; local delivery
   * stands. Rejects with `backpressure` when too much waits for the channel's store; then nothing was kept or sent.
   * An event with a history that was not committed in time rejects with `service_unavailable`: nobody got it, though
   * it may yet be committed, once. One whose key stands for another message rejects with `conflict`.
   */
  publish(publication: Publication): Receipt | Promise<Receipt>;
}

/** What servers publish with, who send several events with one request. */
export interface BatchPublisher extends Publisher {
  /**
   * Publishes events of channels with a history strictly one after another, in as few commits as can be. Ends with the
   * first that fails and rejects with a `SeriesFailure` of its place and its error; those before it stay published.
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
