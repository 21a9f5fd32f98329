export interface Delivery {
  readonly subject: string;
  /** Where an answer is expected; null: nowhere. */
  readonly reply: string | null;
  /** Null: it has no headers. Valid during the call only, as `bytes`. */
  readonly head: Buffer | null;
  readonly bytes: Buffer;
}
