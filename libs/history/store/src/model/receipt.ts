/** Stored result from which a resent record or a repeated idempotency key is answered. */
export interface Receipt {
  /** UUID: the `pub_id`, or a value derived from the idempotency key. */
  readonly scope: string;
  readonly pubId: string;
  readonly atMs: number;
  readonly untilMs: number;
  readonly streamKey: string;
  readonly generation: number;
  /** Null: the operation left no delivery record. */
  readonly deliverySerial: number | null;
  /** Lower-case hex; null: there was no key. */
  readonly fingerprint: string | null;
  /** Answer of an operation that is not a publish, as JSON text. */
  readonly extra: string | null;
}

/** A receipt with fields of its record; they are null if the record was removed. */
export interface FoundReceipt extends Receipt {
  readonly historySerial: number | null;
  readonly publishedAtMs: number | null;
  readonly messageSerial: string | null;
  readonly versionSerial: string | null;
}
