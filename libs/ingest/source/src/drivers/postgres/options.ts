/** Settings of an outbox in PostgreSQL. */
export interface PostgresSourceOptions {
  readonly name: string;
  readonly url: string;
  readonly schema: string;
  /** Events per fetch and partition. */
  readonly batchSize: number;
  readonly maxInFlight: number;
  readonly maxInFlightBytes: number;
  readonly pollIntervalMs: number;
  readonly busyPollMs: number;
  readonly sessionTimeoutMs: number;
  /** Events of a partition between its cursor and the last fetched event. */
  readonly maxAhead: number;
  /** Receipts of events live this long, so a partition is not read further than half of it ahead of its cursor. */
  readonly idempotencyTtlMs: number;
  /** 0: for ever. */
  readonly messageMapDays: number;
  /** 0: for ever. */
  readonly deadLetterDays: number;
}

/** What a source needs of its process. */
export interface SourceLog {
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}
