import type { Config, Secret } from '@carillon/config';
import type { SqlDialect } from './port.js';

/** Configuration used by this package. */
export type DatabaseConfig = Pick<Config, 'database' | 'database_pooling'>;

/** Limits of the connection pool. */
export interface PoolBounds {
  /** Idle connections beyond this many are closed after 180 s. MySQL keeps one at least, and closes all but that many less one. */
  readonly min: number;
  readonly max: number;
}

/** Address and credentials of a database. */
export interface DatabaseTarget {
  readonly dialect: SqlDialect;
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: Secret;
  readonly database: string;
  readonly pool: PoolBounds;
  /** Application name of the connections of this process. */
  readonly client: string;
}

/** The way that `database.postgres` or `database.mysql` and `database_pooling` describe. */
export function databaseTarget(
  { database, database_pooling: pooling }: DatabaseConfig,
  dialect: SqlDialect,
  client: string,
): DatabaseTarget {
  const settings = database[dialect];
  const { host, port, username, password, connection_pool_size: size, pool_min, pool_max } = settings;
  const pool = pooling.enabled
    ? { min: pool_min ?? pooling.min, max: pool_max ?? pooling.max }
    : { min: 0, max: size };
  return { dialect, host, port, username, password, database: settings.database, pool, client };
}
