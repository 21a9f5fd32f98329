import type { FanOutRecordBody } from '@carillon/contracts';

/** Where the writer of a lane is asked. */
export interface LaneAddress {
  /** To commit, or to read. */
  readonly use: 'commit' | 'read';
  readonly lane: number;
}

/** What one request came to. */
export type Heard =
  | { readonly kind: 'reply'; readonly text: string }
  /** Nobody serves the address, as far as the broker knows; or the broker cannot be reached. */
  | { readonly kind: 'no_responder' }
  /** Nothing came in time; it may still be under way. */
  | { readonly kind: 'silent' };

/** Works on a request; the text is the answer, null: there is none. What it rejects with is answered by silence. */
export type LaneHandler = (text: string) => Promise<string | null>;

/** Told what a writer announced. Called synchronously, and must not throw. */
export type AnnouncementListener = (bytes: Uint8Array) => void;

/**
 * What publishers, writers and gateways of commit lanes are to each other: requests to whoever serves a lane,
 * announcements of writers, and committed records on their way to gateways.
 *
 * Promises of every driver:
 * - A request may be lost, delayed or doubled, and reaches one of those who serve its address. All texts are JSON
 *   objects that begin with a member; a text above the size of messages is neither sent nor taken.
 * - A reply comes back to the caller alone, and only within the budget; later ones are dropped.
 * - Nothing hangs: a call ends when its budget does.
 */
export interface LaneFabric {
  /** The largest text that is carried. */
  readonly maxBytes: number;
  /** Never rejects. */
  call(address: LaneAddress, text: string, budgetMs: number): Promise<Heard>;
  /**
   * Serves an address until `stopServing`, on whatever connection there is. Settles when the broker has confirmed it
   * for the first time; rejects when the broker refuses it, or it is not wanted any more, and is then not served.
   */
  serve(address: LaneAddress, handler: LaneHandler): Promise<void>;
  /** Settles when no further request comes, so that whoever stops can finish what has come. Never rejects. */
  stopServing(address: LaneAddress): Promise<void>;
  /** Tells all who hear announcements, this process excepted. Rejects when the broker does not have it. */
  announce(text: string): Promise<void>;
  /**
   * Names who hears announcements, one in a process. Rejects when the broker does not confirm it in time; it is wanted
   * all the same, and to name the same again is to wait again.
   */
  hear(listener: AnnouncementListener): Promise<void>;
  /**
   * Hands a committed record to every gateway that wants its channel, this process's own included. The records of a
   * channel arrive in the order of the calls. Rejects when they may not arrive.
   */
  handOver(record: FanOutRecordBody): Promise<void>;
}
