/** One event that a publisher wants told. */
export interface Publication {
  readonly publisher: string;
  readonly channel: string;
  /** Counts the publisher's events on this channel, from 1. */
  readonly number: number;
  readonly beganAtMs: number;
  /** Null: not accepted, or not yet. */
  acceptedAtMs: number | null;
}

/** One event as it came. */
export interface Receipt {
  readonly publisher: string;
  readonly number: number;
}

/** One connection, from its first subscription to its end. */
export interface ConnectionRecord {
  readonly name: string;
  readonly gateway: string;
  /** When each channel was confirmed. */
  readonly confirmedAtMs: Map<string, number>;
  /** What came, by channel, in the order it came. */
  readonly received: Map<string, Receipt[]>;
  /** Null while it is open. */
  end: { readonly atMs: number; readonly code: number | null } | null;
}

/** A time in which a node may have missed what was published: it was cut off from its broker. */
export interface Gap {
  readonly gateway: string;
  readonly fromMs: number;
  toMs: number;
}
