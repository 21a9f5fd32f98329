import type { Changes, Found, Wanted } from './model/changes.js';
import type { PresenceCheckpoint } from './model/checkpoint.js';
import type { MessageReads } from './model/living.js';
import type { MemberThere, PresenceEvent } from './model/presence.js';
import type { StoredRecord } from './model/record.js';
import type { HistoryRetention } from './retention.js';
import type { Stream, StreamAddress } from './model/stream.js';

/** Fan-out progress of a stream. */
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
  /** Read over the connections of the commit lanes, whose health a recent commit proves. Absent: over the read pool. */
  readonly overLanes?: true;
}

/** Rows of the history visible at a given time, in the requested order. */
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
 * Readable part of a stream's history at a given time. For a very long stream with many expired rows that this
 * process has not read before, a database may estimate the bytes.
 */
export interface Retained {
  /** Null: nothing. */
  readonly oldest: { readonly serial: number; readonly publishedAtMs: number } | null;
  readonly newest: { readonly serial: number; readonly publishedAtMs: number } | null;
  readonly messages: number;
  readonly bytes: number;
}

/** Search of a writer for records that a dead writer may not have fanned out. */
export interface TailQuery {
  readonly lane: number;
  readonly lanes: number;
  /** Streams with a receipt since then. */
  readonly sinceMs: number;
}

/** Cursor over degraded streams. */
export interface DegradedQuery {
  /** The `streamKey` that was seen last; null: from the beginning. */
  readonly after: string | null;
  readonly limit: number;
}

/** Limits of one batch, and of concurrent batches. */
export interface BatchLimits {
  readonly records: number;
  /** Size of the records as sent. */
  readonly bytes: number;
  /**
   * Streams; infinite: any number. Where it is one, `decide` is asked of one stream at a time: for stores that write no
   * more than that all or nothing.
   */
  readonly streams: number;
  /** Batches at one time; none of a stream that is in another. */
  readonly batches: number;
}

/**
 * Limits of stores that write any number of streams in one transaction: two small transactions cost more than one of
 * twice the size.
 */
export const TRANSACTION_LIMITS: BatchLimits = {
  records: 500,
  bytes: 512 * 1024,
  streams: Infinity,
  batches: 2,
};

/**
 * Store of durable channel streams. Every call ends with a result or a `StoreFailure`.
 * `commit` is the only write operation. It reads the requested state, calls `decide`, and writes the resulting
 * changes atomically if the streams and receipts are unchanged since they were read. A store may lock the streams
 * first, omitting those held by others; or read without locks, claim the serials on condition that the heads are
 * unchanged, and otherwise retry. `decide` must therefore be pure: it may be called with several states, and only the
 * decision for the committed state counts. When `commit` resolves, the changes are durable. Commits to the same
 * stream never overlap, across all processes.
 */
export interface HistoryStore {
  /** Limits that callers observe in one `commit`. */
  readonly limits: BatchLimits;

  /** Makes or checks the tables. May be called again after it failed. */
  connect(): Promise<void>;

  /** `decide` must wait, without a change, for streams that `found` does not have. */
  commit<Decision extends { readonly changes: Changes }>(
    wanted: Wanted,
    decide: (found: Found) => Decision,
  ): Promise<Decision>;

  /** Raises watermarks (never lowers them) and marks the lanes as served. Rows of other generations are ignored. */
  raiseWatermarks(
    marks: readonly Watermark[],
    seen: { readonly lanes: readonly number[]; readonly writerId: string; readonly nowMs: number },
  ): Promise<void>;

  /** When a lane was last looked after; null: never. */
  laneSeenAtMs(lane: number): Promise<number | null>;

  /** Number of lanes that the writers agreed on; null: not yet decided. */
  agreedLanes(): Promise<number | null>;

  /** Returns the number of lanes: the stored one, or `lanes` if none is stored or `replace` is set. */
  agreeOnLanes(lanes: number, replace: boolean): Promise<number>;

  /** Streams of messages in the lane with records above their watermark. */
  behind(query: TailQuery): Promise<readonly Stream[]>;

  /** Degraded message streams in key order; healthy streams are not read. */
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
  /** Presence events of a stream visible at a given time, in the requested order. */
  presenceEvents(query: PageQuery): Promise<readonly PresenceEvent[]>;

  /** Newest checkpoint; null: none, so that members are derived from the events alone. */
  presenceCheckpoint(query: CheckpointQuery): Promise<PresenceCheckpoint | null>;
}

/** Cursor over the members of all streams. */
export interface MembersQuery {
  /** Last member seen; null: from the beginning. */
  readonly after: Pick<MemberThere, 'streamKey' | 'userId'> | null;
  readonly limit: number;
}

/** Current members of all presence streams. */
export interface PresentMembers {
  /** Ordered by stream and user; null: the store is not open because nothing has used it yet. */
  membersThere(query: MembersQuery): Promise<readonly MemberThere[] | null>;
}

/** Everything that a store of this room can do. */
export interface DurableStore
  extends HistoryStore, HistoryRetention, MessageReads, PresenceEvents, PresentMembers {}
