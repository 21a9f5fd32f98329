import { createHash } from 'node:crypto';
import { explainMissingPackage } from '@carillon/runtime';
import type { DataSourceOptions } from 'typeorm';
import {
  type Classify,
  DatabaseRejected,
  DatabaseUnavailable,
  type RejectedReason,
  type UnavailableReason,
} from '../failures.js';
import { ACQUIRE_TIMEOUT_MS, IDLE_TIMEOUT_MS, KEEPALIVE_MS, MIGRATION_TIMEOUT_MS } from '../limits.js';
import type { Settled, Tables } from '../migrations/tables.js';
import type { SqlSession } from '../port.js';
import { readMysqlVersion } from '../server-version.js';
import type { DatabaseTarget } from '../target.js';
import type { Dialect } from './dialect.js';

function options({ host, port, username, password, database, pool }: DatabaseTarget): DataSourceOptions {
  return {
    type: 'mysql',
    host,
    port,
    username,
    password: password.reveal(),
    database,
    connectTimeout: ACQUIRE_TIMEOUT_MS,
    poolSize: pool.max,
    charset: 'utf8mb4',
    timezone: 'Z',
    extra: {
      // The library looks at idle connections only when not all of them may be idle.
      maxIdle: Math.max(pool.min, pool.max - 1, 1),
      idleTimeout: IDLE_TIMEOUT_MS,
      enableKeepAlive: true,
      keepAliveInitialDelay: KEEPALIVE_MS,
    },
  };
}

/** Numbers of the server's errors. Others that are fatal to the connection count as `lost`. */
const UNAVAILABLE: ReadonlyMap<number, UnavailableReason> = new Map([
  ...[1021, 1040, 1044, 1045, 1049, 1053, 1129, 1130, 1203, 1226, 1290, 1698, 1792, 1836].map(
    (code) => [code, 'refused'] as const,
  ),
  ...[1317, 1969, 3024].map((code) => [code, 'timeout'] as const),
  ...[1152, 1158, 1159, 1160, 1161, 1927].map((code) => [code, 'lost'] as const),
]);

const REJECTED: ReadonlyMap<number, RejectedReason> = new Map([
  [1062, 'unique'],
  [1205, 'conflict'],
  [1213, 'conflict'],
  [1586, 'unique'],
]);

/** Texts that name tables, columns and users; others may quote a value. */
const TELLING = new Set([1054, 1091, 1142, 1143, 1146]);

interface PooledConnection {
  readonly stream: { destroy(): void };
  destroy(): void;
}

interface ClientError {
  readonly errno?: number;
  readonly code?: string;
  readonly message?: string;
  readonly sqlState?: string;
}

const classify: Classify = (error) => {
  const { errno, code, message = '', sqlState } = error as ClientError;
  // Only errors of the server have a state.
  if (errno === undefined || sqlState === undefined || sqlState === '') {
    return new DatabaseUnavailable(code === 'ETIMEDOUT' ? 'timeout' : 'lost', message || code || 'lost');
  }
  const unavailable = UNAVAILABLE.get(errno);
  if (unavailable !== undefined) return new DatabaseUnavailable(unavailable, `${message} (${errno})`);
  const reason = REJECTED.get(errno) ?? (sqlState.startsWith('22') ? 'data' : 'statement');
  return new DatabaseRejected(reason, String(errno), TELLING.has(errno) ? message : null);
};

const seconds = (ms: number): number => Math.ceil(ms / 1000);

/** Names of locks are the server's, not the database's, and at most 64 characters long. */
const lockName = (database: string): string =>
  `carillon:${createHash('sha256').update(database).digest('hex').slice(0, 40)}`;

/** The lock ends with the connection, also when this process dies. Effects before a failure are kept. */
async function locked(session: SqlSession, database: string, work: () => Promise<void>): Promise<void> {
  const wait = seconds(MIGRATION_TIMEOUT_MS);
  await session.query(
    `set session innodb_lock_wait_timeout = 5 /*M!100101 , max_statement_time = ${wait} */`,
  );
  const { rows } = await session.query('select get_lock(?, ?) as taken', [lockName(database), wait]);
  if (Number(rows[0]?.['taken']) !== 1) throw new DatabaseUnavailable('timeout', 'another process migrates');
  await work();
  await session.query('select release_lock(?)', [lockName(database)]);
}

/** A database is a schema: there is nothing to move. */
async function settle(
  session: SqlSession,
  _target: DatabaseTarget,
  tables: readonly Tables[],
): Promise<ReadonlyMap<string, Settled>> {
  const { rows } = await session.query(
    'select table_name as name from information_schema.tables where table_schema = database() and table_name in (?)',
    [tables.map(({ owned }) => owned.tables[0] ?? '')],
  );
  const found = new Set(rows.map(({ name }) => String(name)));
  return new Map(
    tables.map(({ name, owned }) => [name, { place: null, areThere: found.has(owned.tables[0] ?? '') }]),
  );
}

/** TypeORM requires it by itself, and would report a missing one by an error of its own. */
async function load(): Promise<void> {
  await import('mysql2').catch((error: unknown) => {
    throw explainMissingPackage('mysql', error);
  });
}

export const mysql: Dialect = {
  load,
  options,
  oldest: { MariaDB: [10, 11], MySQL: [8, 0] },
  server: readMysqlVersion,
  // The mode decides how the client library must quote values, and that none is cut to fit. MariaDB and MySQL each
  // read their own of the two comments.
  sessionSetup(_target, { statementMs }) {
    const longest = seconds(statementMs);
    return [
      `set session sql_mode = 'STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION', time_zone = '+00:00'`,
      `, innodb_lock_wait_timeout = ${longest}, lock_wait_timeout = ${longest}`,
      // As in PostgreSQL: a statement sees everything committed before it, and locks only its rows.
      ` /*M!100101 , max_statement_time = ${longest}, tx_isolation = 'READ-COMMITTED' */`,
      ` /*!50720 , max_execution_time = ${statementMs}, transaction_isolation = 'READ-COMMITTED' */`,
    ].join('');
  },
  // Its connections take one statement at a time, which keeps a value from ever becoming a second one.
  opening: (setup) => ['start transaction', ...(setup?.split(';') ?? [])],
  discard(connection) {
    const { stream } = connection as PooledConnection;
    // Removes it from the pool, but waits until the server has ended its current statement.
    (connection as PooledConnection).destroy();
    stream.destroy();
  },
  classify,
  locked,
  settle,
};
