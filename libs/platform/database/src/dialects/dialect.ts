import type { DataSourceOptions, QueryRunner } from 'typeorm';
import type { Classify } from '../failures.js';
import type { DatabaseLimits } from '../limits.js';
import type { Settled, Tables } from '../migrations/tables.js';
import type { SqlAnswer, SqlSession, SqlValue } from '../port.js';
import type { OldestVersions } from '../server-version.js';
import type { DatabaseTarget } from '../target.js';

/** A statement of a session. */
export interface Statement {
  readonly sql: string;
  readonly values: readonly SqlValue[];
  /** The connection may keep it for the next time. */
  readonly again: boolean;
}

/** Differences between the databases, beyond the SQL of their users. */
export interface Dialect {
  /** Loads the client library if it is an optional dependency; rejects with an error that names the package to install. */
  readonly load?: () => Promise<void>;

  options(target: DatabaseTarget): DataSourceOptions;

  /** By server name. */
  readonly oldest: OldestVersions;

  /** Parses name and version of a server from `version()`. */
  server(text: string): { readonly name: string; readonly version: string };

  /** Run on every connection before anything else; the connection is not used when it fails. */
  sessionSetup(target: DatabaseTarget, limits: DatabaseLimits): string;

  /** Statements that open a transaction and set it up; when the first has worked, nothing is done outside of it. */
  opening(setup: string | undefined): readonly string[];

  /**
   * Sends a statement to the connection as it is. Absent: through the client library's wrapper, which may take its time
   * before it does.
   */
  readonly send?: (connection: unknown, statement: Statement) => Promise<SqlAnswer>;

  /**
   * Whether the connection takes statements before those ahead are answered; then `send` sends them at once, and a
   * commit behind one that fails keeps nothing.
   */
  readonly pipelines?: (connection: unknown) => boolean;

  /** Closes a connection immediately; it does not return to the pool. */
  discard(connection: unknown): void;

  readonly classify: Classify;

  /**
   * Runs `work` while no other process does; its statements belong together as far as the database can do that. The
   * session must not be used for anything else afterwards.
   */
  locked(session: SqlSession, database: string, work: () => Promise<void>): Promise<void>;

  /** Returns the schema of each package's tables by name; the caller holds the lock, and tables may be moved. */
  settle(
    session: SqlSession,
    target: DatabaseTarget,
    tables: readonly Tables[],
  ): Promise<ReadonlyMap<string, Settled>>;
}

/** Operations of a pooled connection. */
export type Runner = Pick<QueryRunner, 'connect' | 'manager' | 'query' | 'release'>;
