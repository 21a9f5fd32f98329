import type { DataSourceOptions, QueryRunner } from 'typeorm';
import type { Classify } from '../failures.js';
import type { DatabaseLimits } from '../limits.js';
import type { SqlAnswer, SqlSession, SqlValue } from '../port.js';
import type { DatabaseTarget } from '../target.js';

/** What differs between the databases, beyond the SQL of the rooms that use them. */
export interface Dialect {
  options(target: DatabaseTarget): DataSourceOptions;

  /** Run on every connection before anything else; the connection is not used when it fails. */
  sessionSetup(target: DatabaseTarget, limits: DatabaseLimits): string;

  /** Statements that open a transaction and set it up, as few as the dialect can do with. */
  opening(setup: string | undefined): readonly string[];

  /** Runs a statement that the connection keeps under its name. Absent: the dialect's connections keep none. */
  readonly queryAgain?: (connection: unknown, sql: string, values: readonly SqlValue[]) => Promise<SqlAnswer>;

  /** Closes a connection at once, whatever it is doing; it never comes back from the pool. */
  discard(connection: unknown): void;

  readonly classify: Classify;

  /**
   * Runs `work` while no other process does; its statements belong together as far as the database can do that. The
   * session must not be used for anything else afterwards.
   */
  locked(session: SqlSession, database: string, work: () => Promise<void>): Promise<void>;
}

/** How a pooled connection is borrowed and given back. */
export type Runner = Pick<QueryRunner, 'connect' | 'query' | 'release'>;
