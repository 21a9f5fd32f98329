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
 * What can be read of durable channels, here or through the writer of a lane. All of it is what was committed when it
 * was asked for, or later. Every call ends, and rejects when there is no whole answer.
 */
export interface ChannelReads extends Omit<MessageReads, 'idleStreams'> {
  /** The streams there are, by `streamName`; with `create`, those that are not are made first. */
  heads(addresses: readonly StreamAddress[], create?: boolean): Promise<ReadonlyMap<string, Stream>>;
  /** Purged records come as tombstones. */
  range(query: RangeQuery): Promise<readonly StoredRecord[]>;
  page(query: PageQuery): Promise<readonly StoredRecord[]>;
  retained(stream: Stream, nowMs: number): Promise<Retained>;
  /** Of a stream of presence. */
  presenceEvents(query: PageQuery): Promise<readonly PresenceEvent[]>;
  /** The newest between two serials; null: none that can be had. */
  presenceCheckpoint(query: CheckpointQuery): Promise<PresenceCheckpoint | null>;
}

/** What reading needs of a store. */
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
