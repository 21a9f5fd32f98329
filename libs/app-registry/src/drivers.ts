import type { Config } from '@carillon/config';
import type { Databases, SqlDialect } from '@carillon/database';
import { explainMissingPackage } from '@carillon/runtime';
import type { AppStore } from './port.js';

/** The resources from which stores are opened. */
export interface AppStoreSources {
  readonly config: Pick<Config, 'database'>;
  readonly databases: Databases;
}

type OpenStore = (sources: AppStoreSources | undefined) => Promise<AppStore>;

/** One entry per driver. Its dependencies are loaded only if it is selected. */
const DRIVERS: ReadonlyMap<string, OpenStore> = new Map<string, OpenStore>([
  ['dynamodb', openDynamoStore],
  ['memory', async () => new (await import('./drivers/memory.js')).MemoryAppStore()],
  ['mysql', (sources) => openSqlStore('mysql', sources)],
  ['postgres', (sources) => openSqlStore('postgres', sources)],
  ['scylladb', openScyllaStore],
  ['surrealdb', openSurreal],
]);

/** Another name the configuration accepts for a driver. */
const ALIASES: ReadonlyMap<string, string> = new Map([['array', 'memory']]);

/** Values of `app_manager.driver` that this build can serve. */
export const APP_MANAGER_DRIVERS: readonly string[] = [...DRIVERS.keys()];

/**
 * A store that is not connected yet; `memory` needs no sources. Rejects when this build has no such driver.
 */
export async function openAppStore(driver: string, sources?: AppStoreSources): Promise<AppStore> {
  const open = DRIVERS.get(ALIASES.get(driver) ?? driver);
  if (open === undefined) throw new Error(`driver ${driver} is not available in this build`);
  try {
    return await open(sources);
  } catch (error) {
    throw explainMissingPackage(driver, error);
  }
}

async function openDynamoStore(sources: AppStoreSources | undefined): Promise<AppStore> {
  if (sources === undefined) throw new Error('driver dynamodb needs its settings');
  return (await import('./drivers/dynamodb/open.js')).openDynamo(sources.config);
}

async function openSurreal(sources: AppStoreSources | undefined): Promise<AppStore> {
  if (sources === undefined) throw new Error('driver surrealdb needs its settings');
  return (await import('./drivers/surreal/open.js')).openSurrealStore(sources.config);
}

async function openScyllaStore(sources: AppStoreSources | undefined): Promise<AppStore> {
  if (sources === undefined) throw new Error('driver scylladb needs its settings');
  return (await import('./drivers/scylla/open.js')).openScylla(sources.config);
}

async function openSqlStore(name: SqlDialect, sources: AppStoreSources | undefined): Promise<AppStore> {
  if (sources === undefined) throw new Error(`driver ${name} needs a database`);
  const { config, databases } = sources;
  const [{ SqlAppStore }, { appTables }, dialect] = await Promise.all([
    import('./drivers/sql/store.js'),
    import('./drivers/sql/tables.js'),
    DIALECTS[name](),
  ]);
  const { table_name: table } = config.database[name];
  return new SqlAppStore(databases.use(name, [appTables(name, dialect, table)]), dialect);
}

const DIALECTS = {
  mysql: async () => (await import('./drivers/sql/mysql.js')).mysql,
  postgres: async () => (await import('./drivers/sql/postgres.js')).postgres,
};
