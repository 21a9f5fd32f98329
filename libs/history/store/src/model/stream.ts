/** A channel has a stream of messages and, on a presence channel, one of its members' coming and going. */
export type StreamKind = 'messages' | 'presence';

/** Address of a stream. */
export interface StreamAddress {
  readonly appId: string;
  readonly channel: string;
  readonly kind: StreamKind;
}

/** An address as the key of a map. No name holds U+0000. */
export const streamName = ({ appId, channel, kind }: StreamAddress): string =>
  `${appId}\0${channel}\0${kind}`;

export type DurableState = 'healthy' | 'degraded' | 'reset_required';

/** Whether the stored records of a stream are reliable. */
export interface StreamState {
  readonly state: DurableState;
  /** Null when healthy. */
  readonly reason: string | null;
  /** The process that made the last transition. */
  readonly nodeId: string | null;
  /** Null: there never was a transition. */
  readonly changedAtMs: number | null;
}

/** The row of a stream: the lock that orders a channel, and the counters it guards. */
export interface Stream {
  readonly address: StreamAddress;
  /** A 64-bit integer as text. */
  readonly streamKey: string;
  /** The continuity token; changes with a reset. */
  readonly streamId: string;
  /** Starts at 1; incremented by every reset. Rows of earlier generations no longer exist. */
  readonly generation: number;
  readonly nextDeliverySerial: number;
  readonly nextHistorySerial: number;
  readonly nextAnnotationNo: number;
  /** Everything up to here was handed to the gateways. */
  readonly fannedOutSerial: number;
  /** The newest server publish on a cache channel; 0: none. */
  readonly lastCacheSerial: number;
  /** Rows below the floors were purged. */
  readonly floorDeliverySerial: number;
  readonly floorHistorySerial: number;
  /** Messages with a lower history serial were purged, even if rows of them remain. */
  readonly floorMessageSerial: number;
  /** Number of open messages. */
  readonly openStreams: number;
  /** Records at or above the floor, including expired rows that are still stored. */
  readonly retainedMessages: number;
  readonly retainedBytes: number;
  readonly newestPublishedAtMs: number | null;
  readonly lastAnnotationSerial: string | null;
  /** The last day that any row of the stream is kept for, as `2026-01-31`. */
  readonly lastKeepDay: string | null;
  /** The caps that the last publish brought; null: none. */
  readonly maxMessages: number | null;
  readonly maxBytes: number | null;
  readonly durable: StreamState;
  readonly updatedAtMs: number;
}

/** When something is published that is committed to the stream now: times never decrease in it. */
export const publicationTime = (
  { newestPublishedAtMs }: Pick<Stream, 'newestPublishedAtMs'>,
  nowMs: number,
): number => Math.max(nowMs, newestPublishedAtMs ?? 0);

/** Counters of an empty stream: new or reset. */
export const NOTHING_STORED = {
  nextDeliverySerial: 1,
  nextHistorySerial: 1,
  nextAnnotationNo: 1,
  fannedOutSerial: 0,
  lastCacheSerial: 0,
  floorDeliverySerial: 1,
  floorHistorySerial: 1,
  floorMessageSerial: 1,
  openStreams: 0,
  retainedMessages: 0,
  retainedBytes: 0,
  newestPublishedAtMs: null,
  lastAnnotationSerial: null,
} satisfies Partial<Stream>;

/** A stream before its first record. */
export function newStream(
  address: StreamAddress,
  streamKey: string,
  streamId: string,
  nowMs: number,
): Stream {
  return {
    address,
    streamKey,
    streamId,
    generation: 1,
    ...NOTHING_STORED,
    lastKeepDay: null,
    maxMessages: null,
    maxBytes: null,
    durable: { state: 'healthy', reason: null, nodeId: null, changedAtMs: null },
    updatedAtMs: nowMs,
  };
}
