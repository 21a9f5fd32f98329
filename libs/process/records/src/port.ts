/** Where a row lives: rows of one partition are ordered by `sort`, byte by byte of its UTF-8 form. */
export interface RowKey {
  readonly partition: string;
  readonly sort: string;
}

/** One stored row. */
export interface Row extends RowKey {
  /** Chosen by the writer; a condition of a later commit compares it. */
  readonly version: number;
  readonly value: string;
  /** The store deletes the row some time after this moment; readers ignore it from then on. Null: it never expires. */
  readonly expiresAtMs: number | null;
}

/** Rows of one partition in the order of `sort`, or in reverse order. */
export interface RangeQuery {
  readonly partition: string;
  /** Inclusive; null: no lower bound. */
  readonly from: string | null;
  /** Exclusive; null: no upper bound. */
  readonly to: string | null;
  readonly reverse: boolean;
  /** Number of rows, at least 1. */
  readonly limit: number;
}

/** A condition on one row: it has this version, or it does not exist (null). An expired row does not exist. */
export interface Condition {
  readonly sort: string;
  readonly version: number | null;
}

/** An atomic change of one partition. A row appears at most once among `puts` and `deletes`. */
export interface Commit {
  readonly partition: string;
  /** At least one; each row at most once. */
  readonly conditions: readonly Condition[];
  readonly puts: readonly Omit<Row, 'partition'>[];
  readonly deletes: readonly string[];
}

/** Bounds of one commit; a larger one is rejected with a `RangeError` before anything is sent. */
export interface CommitLimits {
  /** Distinct rows among conditions, puts and deletes. */
  readonly rows: number;
  /** UTF-8 bytes of sorts and values of all puts. */
  readonly bytes: number;
  /** UTF-8 bytes of one value. */
  readonly valueBytes: number;
}

/**
 * Rows in partitions, with an atomic conditional commit per partition: the common ground of DynamoDB, ScyllaDB, Cassandra
 * and SurrealDB. Histories, push state and their indexes are kept in it.
 *
 * Promises of every driver:
 * - **Atomicity**: all changes of a commit become visible together, or none does.
 * - **Isolation**: two commits that change or condition on a common row are serialized; a commit applies only if all its
 *   conditions hold at that moment.
 * - **Durability**: what resolved survives a restart of the server (not in the memory driver).
 * - **Consistency**: a read that starts after a write resolved sees it, from every process.
 * - **Failure**: every call ends within the driver's timeout, or rejects with `RecordsUnavailable`. A write that was rejected
 *   that way may have happened.
 *
 * A partition is changed by `commit` alone, or by `put` and `remove` alone, never by both: a wide-column store orders the
 * two kinds of writes by different clocks. Partitions of the second kind hold indexes; their writers tolerate entries
 * without a row they point to.
 */
export interface RecordStore {
  readonly limits: CommitLimits;

  /** Creates or checks the table. May be repeated after a failure. Rejects if the credentials or the schema are wrong. */
  connect(): Promise<void>;

  /** The rows that exist, in no order. At most 1,000 keys. */
  get(keys: readonly RowKey[]): Promise<Row[]>;

  range(query: RangeQuery): Promise<Row[]>;

  /** Resolves with false, without a change, if a condition does not hold. */
  commit(commit: Commit): Promise<boolean>;

  /** Writes rows of index partitions without conditions, each row by itself. At most 1,000. */
  put(rows: readonly Row[]): Promise<void>;

  /** Deletes rows of index partitions, each row by itself; missing ones are ignored. At most 1,000. */
  remove(keys: readonly RowKey[]): Promise<void>;

  /** Rejects if the server does not answer a read. */
  health(): Promise<void>;

  /** Idempotent, never rejects. */
  close(): Promise<void>;
}

/** The store does not answer. */
export class RecordsUnavailable extends Error {
  override readonly name = 'RecordsUnavailable';
}
