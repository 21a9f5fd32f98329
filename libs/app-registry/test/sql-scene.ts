import { configure } from '@carillon/config';
import { Databases, type Database, type SqlDialect } from '@carillon/database';
import { engine } from '@carillon/test-backends';
import { createParts } from '@carillon/runtime';
import { openAppStore, type AppStore } from '../src/index.js';

/** The drivers over SQL, and the engine each is tested on. */
export const SQL_DRIVERS = [
  ['postgres', 'postgres'],
  ['mysql', 'mariadb'],
] as const satisfies readonly (readonly [SqlDialect, string])[];

/** Settings of a driver with an existing database. */
function sqlSettings(dialect: SqlDialect, url: string, table = 'applications'): Record<string, string> {
  const { hostname, port, username, password, pathname } = new URL(url);
  const prefix = `DATABASE_${dialect.toUpperCase()}`;
  return {
    APP_MANAGER_DRIVER: dialect,
    [`${prefix}_HOST`]: hostname,
    [`${prefix}_PORT`]: port,
    [`${prefix}_USERNAME`]: username,
    [`${prefix}_PASSWORD`]: password,
    [`${prefix}_DATABASE`]: pathname.slice(1),
    [`${prefix}_TABLE_NAME`]: table,
  };
}

/** A store and a connection to its database for writes of other programs. */
export interface SqlStore {
  readonly store: AppStore;
  readonly database: Database;
  readonly table: string;
  readonly close: () => Promise<void>;
}

let tables = 0;

/** Neither connected nor, unless the table is named, ever used before. */
export async function openSqlStore(
  dialect: SqlDialect,
  url: string,
  table = `apps_${++tables}`,
): Promise<SqlStore> {
  const outcome = configure({
    process: 'server',
    argv: [],
    env: { RUST_LOG: 'off', ...sqlSettings(dialect, url, table) },
    cwd: '/nowhere',
    files: { exists: () => false, read: () => '' },
  });
  if (outcome.kind === 'exit') throw new Error(outcome.stderr);
  const databases = new Databases(createParts(outcome.config));
  const store = await openAppStore(dialect, { config: outcome.config, databases });
  const database = databases.use(dialect);
  return { store, database, table, close: () => database.close() };
}

/** A database of its own on the engine of a dialect. */
export async function corner(dialect: SqlDialect) {
  const name = SQL_DRIVERS.find(([one]) => one === dialect)?.[1] ?? dialect;
  return (await engine(name)).isolate();
}

/** A name as the dialect quotes it. */
export const quoted = (dialect: SqlDialect, name: string): string =>
  dialect === 'postgres' ? `"${name}"` : `\`${name}\``;
