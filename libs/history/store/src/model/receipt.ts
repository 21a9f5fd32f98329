/** What a resent record or a repeated key is answered from. */
export interface Receipt {
  /** The `pub_id`, or what stands for the idempotency key; a UUID. */
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

/** A receipt with what the row of its record says; those members are null when the row is gone. */
export interface FoundReceipt extends Receipt {
  readonly historySerial: number | null;
  readonly publishedAtMs: number | null;
  readonly messageSerial: string | null;
  readonly versionSerial: string | null;
}
