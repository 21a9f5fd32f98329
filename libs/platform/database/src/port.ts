import type { EntityManager } from 'typeorm';
import type { Place } from './migrations/tables.js';

/** The SQL a database speaks; MariaDB speaks `mysql`. */
export type SqlDialect = 'mysql' | 'postgres';

/** What may stand for a placeholder. An array is PostgreSQL's array, and the items of an `in (?)` of MySQL. */
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
 * Runs statements, one at a time and in the order they are asked for, which may be before those ahead are answered: where
 * the database can take it they are all on their way then, and one answer is waited for instead of several. In
 * PostgreSQL none behind one that fails in a transaction does anything. Placeholders are those of the dialect: `$1`, `$2`, … or `?`. A value never becomes
 * part of a statement that another value, or the server's mode, could change the meaning of.
 *
 * Every call ends: with an answer, with `DatabaseRejected` when the database refused the statement, or with
 * `DatabaseUnavailable` when it could not be asked or did not answer in time. Neither carries a value.
 */
export interface SqlSession {
  query(sql: string, values?: readonly SqlValue[], how?: QueryOptions): Promise<SqlAnswer>;
}

/** A session inside a transaction. */
export interface SqlTransaction extends SqlSession {
  /**
   * Says that nothing more is asked for: the commit may leave with what was asked for last. It keeps nothing when any
   * of that fails.
   */
  last(): void;
}

/** How a statement is run; none of it changes what it does. */
export interface QueryOptions {
  /**
   * Its text is one of a few that come again and again: the server may keep what it made of it with the connection.
   * Absent: it is worked out anew each time.
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

  /** Where the tables of that name are. Throws `DatabaseUnavailable` before they were brought up to date once. */
  place(name: string): Place;

  /** Runs `work` on the entities of the tables, over one connection and in the time of one statement. */
  entities<Result>(work: (manager: EntityManager) => Promise<Result>): Promise<Result>;

  /** Rejects when the database does not answer. */
  health(): Promise<void>;

  /** Idempotent. What runs may end within 2 s; later calls reject with `DatabaseUnavailable`. */
  close(): Promise<void>;
}
