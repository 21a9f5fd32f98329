import type { FanOutRecordBody } from '@carillon/contracts';

/** Address of requests to the writer of a lane. */
export interface LaneAddress {
  /** To commit, or to read. */
  readonly use: 'commit' | 'read';
  readonly lane: number;
}

/** Outcome of one request. */
export type Heard =
  | { readonly kind: 'reply'; readonly text: string }
  /** No server is known for the address, or the broker is unreachable. */
  | { readonly kind: 'no_responder' }
  /** Nothing came in time; it may still be under way. */
  | { readonly kind: 'silent' };

/** Handles a request; resolves with the answer, or null for none. A rejection sends no answer. */
export type LaneHandler = (text: string) => Promise<string | null>;

/** Receives announcements of writers. Called synchronously; must not throw. */
export type AnnouncementListener = (bytes: Uint8Array) => void;

/**
 * Messages between publishers, writers and gateways of commit lanes: requests to the server of a lane, announcements
 * of writers, and committed records for gateways.
 * Promises of every driver:
 * - A request may be lost, delayed or duplicated, and reaches one server of its address. All texts are JSON objects
 * with at least one member; texts above the message size limit are neither sent nor accepted.
 * - A reply reaches the caller alone, and only within the budget; later replies are dropped.
 * - Every call ends with its budget.
 */
export interface LaneBroker {
  /** The largest text that is carried. */
  readonly maxBytes: number;
  /** Never rejects. */
  call(address: LaneAddress, text: string, budgetMs: number): Promise<Heard>;
  /**
   * Serves an address until `stopServing`, across reconnects. Resolves when the broker has confirmed it for the first
   * time; rejects, and does not serve, if the broker refuses or `stopServing` came first.
   */
  serve(address: LaneAddress, handler: LaneHandler): Promise<void>;
  /** Resolves when no further request arrives, so that the server can finish the accepted ones. Never rejects. */
  stopServing(address: LaneAddress): Promise<void>;
  /** Sends an announcement to all listeners of other processes. Rejects if the broker does not confirm it. */
  announce(text: string): Promise<void>;
  /**
   * Registers the listener of announcements, one per process. Rejects if the broker does not confirm in time; the
   * registration stays, and registering the same listener again waits again.
   */
  hear(listener: AnnouncementListener): Promise<void>;
  /**
   * Hands a committed record to every gateway that wants its channel, this process's own included. The records of a
   * channel arrive in the order of the calls. Rejects when they may not arrive.
   */
  handOver(record: FanOutRecordBody): Promise<void>;
}
