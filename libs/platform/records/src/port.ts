/**
 * The key of a row: rows of one partition are ordered by `sort`, byte by byte of its UTF-8 form. Partition and sort have 1
 * to 1,000 bytes each; they and values are well-formed Unicode without U+0000.
 */
export interface RowKey {
  readonly partition: string;
  readonly sort: string;
}

/** One stored row. */
export interface Row extends RowKey {
  /**
   * A safe integer, chosen by the writer; a condition of a later commit compares it. A commit that conditions on a row and
   * changes it gives it a version that it did not have before: drivers settle commits of unknown outcome by it.
   */
  readonly version: number;
  /** May be empty. */
  readonly value: string;
  /**
   * From this moment by the clock of the calling process, the row does not exist for `get`, `range` and conditions; the
   * store deletes it some time later. A moment in the past is allowed. Null: it never expires.
   */
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
  /** At least 1. The answer has fewer rows only if the range has no more; drivers page through the server's answers. */
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
  /** At least one, each row at most once. They may name rows that the commit does not change. */
  readonly conditions: readonly Condition[];
  readonly puts: readonly Omit<Row, 'partition'>[];
  /** Rows that need not exist. */
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
 * Rows in partitions, with an atomic conditional commit per partition: the common ground of DynamoDB, ScyllaDB,
 * Cassandra and SurrealDB. Histories, push state and their indexes are stored in it.
 * Promises of every driver:
 * - **Atomicity**: a commit applies as a whole or not at all. A `get` or `range` that runs concurrently with a commit
 * may see a part of its rows (DynamoDB reads each row individually); a reader that combines rows compares their
 * versions.
 * - **Isolation**: two commits that change or condition on a common row are serialized; a commit applies only if all
 * its conditions hold at that moment. Contention delays a commit, and does not make it resolve with false.
 * - **Durability**: resolved writes survive a restart of the server (not in the memory driver).
 * - **Consistency**: a read that starts after a write resolved sees it, from every process.
 * - **Failure**: every call ends within the driver's timeout, or rejects with `RecordsUnavailable`. A write that was
 * rejected that way may have happened. The store recovers when the server answers again.
 * - **Bounds**: a call that exceeds a bound of its parameters rejects with a `RangeError` before anything is sent.
 * A partition is changed by `commit` alone, or by `put` and `remove` alone, never by both: a wide-column store orders
 * the two kinds of writes by different clocks. Partitions of the second kind hold indexes; their writers tolerate
 * entries without a row they point to.
 */
export interface RecordStore {
  readonly limits: CommitLimits;

  /**
   * Creates or checks the table; concurrent calls of several processes are allowed, and so is a repeated call. Rejects
   * with `RecordsUnavailable` if the server does not answer, and with an `Error` that names the setting if the
   * credentials or the schema are wrong.
   */
  connect(): Promise<void>;

  /** The rows that exist, in no order, each once. At most 1,000 keys. */
  get(keys: readonly RowKey[]): Promise<Row[]>;

  range(query: RangeQuery): Promise<Row[]>;

  /** Resolves with false, without a change, if a condition does not hold. */
  commit(commit: Commit): Promise<boolean>;

  /**
   * Writes rows of index partitions without conditions, each row individually. At most 1,000, each key at most once.
   */
  put(rows: readonly Row[]): Promise<void>;

  /** Deletes rows of index partitions, each row individually; missing ones are ignored. At most 1,000. */
  remove(keys: readonly RowKey[]): Promise<void>;

  /** Rejects with `RecordsUnavailable` if the server does not answer a read. */
  health(): Promise<void>;

  /** Idempotent, never rejects. No call may follow. */
  close(): Promise<void>;
}

/** The store does not answer. */
export class RecordsUnavailable extends Error {
  override readonly name = 'RecordsUnavailable';
}
