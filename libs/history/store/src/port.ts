import type { Changes, Found, Wanted } from './model/changes.js';
import type { PresenceCheckpoint } from './model/checkpoint.js';
import type { MessageReads } from './model/living.js';
import type { MemberThere, PresenceEvent } from './model/presence.js';
import type { StoredRecord } from './model/record.js';
import type { HistoryRetention } from './retention.js';
import type { Stream, StreamAddress } from './model/stream.js';

/** How far the records of a stream were handed to the gateways. */
export interface Watermark {
  readonly streamKey: string;
  readonly generation: number;
  readonly serial: number;
}

/** Delivery records of one stream, ascending. */
export interface RangeQuery {
  readonly streamKey: string;
  readonly generation: number;
  /** Both inclusive. */
  readonly fromSerial: number;
  readonly toSerial: number;
  readonly limit: number;
  /**
   * Over the connections that batches are committed over: of those it is known that they work, where something was
   * committed just now. Absent: over those of everybody who reads.
   */
  readonly overLanes?: true;
}

/** Rows of the history that are visible at a moment, in the order asked for. */
export interface PageQuery {
  readonly stream: Stream;
  readonly nowMs: number;
  readonly newestFirst: boolean;
  /** All inclusive; null: no bound. */
  readonly fromSerial: number | null;
  readonly toSerial: number | null;
  readonly fromMs: number | null;
  readonly toMs: number | null;
  readonly limit: number;
}

/**
 * What of a stream's history can be read at a moment. Of a very long one that was not asked for in this process before,
 * with very much of it past its time, a database may tell the bytes in proportion.
 */
export interface Retained {
  /** Null: nothing. */
  readonly oldest: { readonly serial: number; readonly publishedAtMs: number } | null;
  readonly newest: { readonly serial: number; readonly publishedAtMs: number } | null;
  readonly messages: number;
  readonly bytes: number;
}

/** Where a writer looks for records that a dead one may not have handed over. */
export interface TailQuery {
  readonly lane: number;
  readonly lanes: number;
  /** Streams with a receipt since then. */
  readonly sinceMs: number;
}

/** Where somebody is who goes through the streams that are not healthy. */
export interface DegradedQuery {
  /** The `streamKey` that was seen last; null: from the beginning. */
  readonly after: string | null;
  readonly limit: number;
}

/** What one batch may come to, and how many there may be at a time. */
export interface BatchLimits {
  readonly records: number;
  /** Of the records, as they were sent. */
  readonly bytes: number;
  /**
   * Streams; infinite: any number. Where it is one, `decide` is asked of one stream at a time: for stores that write no
   * more than that all or nothing.
   */
  readonly streams: number;
  /** Batches at one time; none of a stream that is in another. */
  readonly batches: number;
}

/** Of stores that write any number of streams in one transaction: two small ones cost more than one of twice the size. */
export const TRANSACTION_LIMITS: BatchLimits = {
  records: 500,
  bytes: 512 * 1024,
  streams: Infinity,
  batches: 2,
};

/**
 * Where the durable streams of channels live. Every call ends, with an answer or with `StoreFailure`.
 *
 * `commit` is the one way anything is written. It reads what is wanted of the streams; asks `decide`; and writes what it
 * says, all or nothing, if the streams and their receipts are still as they were read. A store may lock them before it
 * reads, leaving out those that somebody else holds; or it reads without, claims the serials under the condition that
 * the head of each stream is the one that was read, and when it is not, reads and asks again. So `decide` must be a pure
 * function: it may be asked of several states, and only what it says of the one that was written on counts. When `commit`
 * resolves the changes are durable. Two commits that touch the same stream never overlap, whichever process they come from.
 */
export interface HistoryStore {
  /** Nobody asks for more in one `commit`. */
  readonly limits: BatchLimits;

  /** Makes or checks the tables. May be called again after it failed. */
  connect(): Promise<void>;

  /** `decide` must wait, without a change, for streams that `found` does not have. */
  commit<Decision extends { readonly changes: Changes }>(
    wanted: Wanted,
    decide: (found: Found) => Decision,
  ): Promise<Decision>;

  /** Raises watermarks, never lowers them, and tells that the lanes are looked after. Other generations are left. */
  raiseWatermarks(
    marks: readonly Watermark[],
    seen: { readonly lanes: readonly number[]; readonly writerId: string; readonly nowMs: number },
  ): Promise<void>;

  /** When a lane was last looked after; null: never. */
  laneSeenAtMs(lane: number): Promise<number | null>;

  /** How many lanes the writers have agreed on; null: there never was one. */
  agreedLanes(): Promise<number | null>;

  /**
   * How many lanes there are, as whoever came first has stored it: this number if nobody has, or if it is to be
   * replaced.
   */
  agreeOnLanes(lanes: number, replace: boolean): Promise<number>;

  /** Streams of messages in the lane with records above their watermark. */
  behind(query: TailQuery): Promise<readonly Stream[]>;

  /** Streams of messages that are degraded, by their keys ascending; what is healthy is not looked at. */
  degraded(query: DegradedQuery): Promise<readonly Stream[]>;

  /** The streams there are, by `streamName`. */
  heads(addresses: readonly StreamAddress[]): Promise<ReadonlyMap<string, Stream>>;

  /** Purged ones come as tombstones. */
  range(query: RangeQuery): Promise<readonly StoredRecord[]>;

  page(query: PageQuery): Promise<readonly StoredRecord[]>;

  retained(stream: Stream, nowMs: number): Promise<Retained>;
}

/** A checkpoint between two serials, both inclusive. */
export interface CheckpointQuery {
  readonly streamKey: string;
  readonly generation: number;
  readonly fromSerial: number;
  readonly toSerial: number;
}

/** The coming and going of members; `retained` counts their events as messages. */
export interface PresenceEvents {
  /** Events of a stream of presence that are visible at a moment, in the order asked for. */
  presenceEvents(query: PageQuery): Promise<readonly PresenceEvent[]>;

  /** The newest of those there are; null: there is none, and who was there is to be told from the events alone. */
  presenceCheckpoint(query: CheckpointQuery): Promise<PresenceCheckpoint | null>;
}

/** Where somebody is who goes through the members of all streams. */
export interface MembersQuery {
  /** Who was seen last; null: from the beginning. */
  readonly after: Pick<MemberThere, 'streamKey' | 'userId'> | null;
  readonly limit: number;
}

/** Who is there, in all streams of presence. */
export interface PresentMembers {
  /** By stream and user, ascending; null: the store is not open, for nobody has needed it yet. */
  membersThere(query: MembersQuery): Promise<readonly MemberThere[] | null>;
}

/** Everything that a store of this room can do. */
export interface DurableStore
  extends HistoryStore, HistoryRetention, MessageReads, PresenceEvents, PresentMembers {}
