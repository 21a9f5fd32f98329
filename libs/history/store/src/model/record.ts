/** Operation of a record: a plain publish, or a version of a mutable message. */
export type RecordAction = 'plain' | 'create' | 'update' | 'delete' | 'append';

/** One committed delivery record. */
export interface StoredRecord {
  readonly streamKey: string;
  readonly generation: number;
  readonly deliverySerial: number;
  /** Null: not a row of the history (a mutation). */
  readonly historySerial: number | null;
  /** On a create and its mutations: the history serial of the message. */
  readonly rootHistorySerial: number | null;
  readonly publishedAtMs: number;
  /** Invisible in the history from then on; null: not a row of it. */
  readonly historyUntilMs: number | null;
  /** Stored until then at least. `FOREVER_MS`: always. */
  readonly keepUntilMs: number;
  readonly action: RecordAction;
  readonly messageSerial: string | null;
  readonly versionSerial: string | null;
  readonly messageId: string | null;
  readonly eventName: string | null;
  readonly actorClientId: string | null;
  /** The V2 frame as JSON text, without `stream_id` and `serial`; null: erased by a purge. */
  readonly payload: string | null;
  readonly payloadSize: number;
  readonly tombstone: boolean;
}

/** A record as it is written. */
export interface NewRecord extends StoredRecord {
  /** Identity of an operation in lower-case hex, for deduplication. Absent: not deduplicated. */
  readonly operation?: { readonly hash: string; readonly fingerprint: string };
}
