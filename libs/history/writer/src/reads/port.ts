import type {
  CheckpointQuery,
  DurableStore,
  PageQuery,
  PresenceCheckpoint,
  PresenceEvent,
  RangeQuery,
  MessageReads,
  Retained,
  StoredRecord,
  Stream,
  StreamAddress,
} from '@carillon/history-store';

/**
 * Reads of durable channels, from the local store or through the writer of a lane. Results include everything
 * committed before the call. Every call ends, and rejects if the result is incomplete.
 */
export interface ChannelReads extends Omit<MessageReads, 'idleStreams'> {
  /** The streams there are, by `streamName`; with `create`, those that are not are made first. */
  heads(addresses: readonly StreamAddress[], create?: boolean): Promise<ReadonlyMap<string, Stream>>;
  /** Purged records come as tombstones. */
  range(query: RangeQuery): Promise<readonly StoredRecord[]>;
  page(query: PageQuery): Promise<readonly StoredRecord[]>;
  retained(stream: Stream, nowMs: number): Promise<Retained>;
  /** Events of a presence stream. */
  presenceEvents(query: PageQuery): Promise<readonly PresenceEvent[]>;
  /** The newest between two serials; null: none that can be had. */
  presenceCheckpoint(query: CheckpointQuery): Promise<PresenceCheckpoint | null>;
}

/** Operations of a store used by reads. */
export type ReadableStore = Pick<
  DurableStore,
  | 'annotations'
  | 'commit'
  | 'heads'
  | 'limits'
  | 'messages'
  | 'page'
  | 'presenceCheckpoint'
  | 'presenceEvents'
  | 'range'
  | 'retained'
  | 'summaries'
  | 'versions'
>;
