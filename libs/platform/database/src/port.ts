import type { EntityManager } from 'typeorm';
import type { Place } from './migrations/tables.js';

/** The SQL a database speaks; MariaDB speaks `mysql`. */
export type SqlDialect = 'mysql' | 'postgres';

/** Value of a placeholder. An array is a PostgreSQL array, or the items of `in (?)` in MySQL. */
export type SqlValue = SqlScalar | readonly SqlScalar[];

export type SqlScalar = string | number | bigint | boolean | Uint8Array | null;

/** One row by column. Values are as the client library gives them; 64-bit integers are text. */
export type SqlRow = Readonly<Record<string, unknown>>;

export interface SqlAnswer {
  /** Empty for a statement that returns none. */
  readonly rows: readonly SqlRow[];
  /** Rows written or deleted; in MySQL rows matched, whether the update changed them or not. */
  readonly changed: number;
}

/**
 * Runs statements one at a time in call order; they may be called before earlier ones are answered: where the
 * database supports pipelining, all are sent and their answers awaited together. In PostgreSQL, statements after a
 * failed one in a transaction have no effect. Placeholders are those of the dialect: `$1`, `$2`, … or `?`. Values
 * never become part of the statement text.
 * Every call ends: with an answer, with `DatabaseRejected` if the database refused the statement, or with
 * `DatabaseUnavailable` if it was unreachable or did not answer in time. Neither error contains a value.
 */
export interface SqlSession {
  query(sql: string, values?: readonly SqlValue[], how?: QueryOptions): Promise<SqlAnswer>;
}

/** A session inside a transaction. */
export interface SqlTransaction extends SqlSession {
  /**
   * Declares that no further statement follows: the commit may be sent together with the last ones. Nothing is kept
   * if any of them fails.
   */
  last(): void;
}

/** Execution options of a statement; none changes its effect. */
export interface QueryOptions {
  /**
   * The text is one of a few repeated ones: the server may cache its plan with the connection. Absent: planned each
   * time.
   */
  readonly again?: boolean;
}

/**
 * The database of one dialect that a whole process shares, over one bounded pool of connections. A connection that is
 * lost, or silent for 5 s, is replaced at the next call, and with a lost one those that are as old; nothing is sent
 * twice. At most 1000 calls wait or run at a time, and a call waits for a connection 5 s at most.
 */
export interface Database extends SqlSession {
  readonly dialect: SqlDialect;

  /**
   * Reaches the database and brings its tables up to date. All callers of one time share one attempt; once it worked,
   * later ones resolve at once. May be called again after it failed.
   */
  connect(): Promise<void>;

  /**
   * Runs `work` in one transaction, committed when it resolves and rolled back when it rejects; its error is then
   * rethrown. A transaction that takes longer than 30 s is rolled back. When the commit itself is not answered,
   * whether it happened is unknown. `setup`: statements that set it up, `;` between them, run before `work`.
   */
  transaction<Result>(work: (session: SqlTransaction) => Promise<Result>, setup?: string): Promise<Result>;

  /** Returns the schema of the tables of that name. Throws `DatabaseUnavailable` before the first migration. */
  place(name: string): Place;

  /** Runs `work` on the entities of the tables, over one connection and in the time of one statement. */
  entities<Result>(work: (manager: EntityManager) => Promise<Result>): Promise<Result>;

  /** Rejects when the database does not answer. */
  health(): Promise<void>;

  /** Running calls may finish within 2 s; later calls reject with `DatabaseUnavailable`. Idempotent. */
  close(): Promise<void>;
}
