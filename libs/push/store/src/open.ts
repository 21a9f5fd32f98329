import type { Config } from '@carillon/config';
import type { Databases } from '@carillon/database';
import { openRecords } from '@carillon/records';
import { explainMissingPackage } from '@carillon/runtime';
import { MemoryPushStore } from './memory/memory-store.js';
import type { PushStore } from './port/port.js';
import { RecordPushStore } from './records/store.js';
import { type StoreObserver, UNOBSERVED } from './sql/session.js';
import { SqlPushStore } from './sql/sql-store.js';
import { pushTables } from './sql/schema.js';

type Open = (databases: Databases, observer: StoreObserver, config: Opened) => PushStore | Promise<PushStore>;
type Opened = Pick<Config, 'database' | 'push'>;

/** Longest run of a statement, and how many calls may wait, in the database that comes along. */
const EMBEDDED = { statementMs: 30_000, waiting: 1000 } as const;

/** One line a driver. */
const DRIVERS: ReadonlyMap<string, Open> = new Map<string, Open>([
  ['memory', () => new MemoryPushStore()],
  [
    'postgres',
    (databases, observer, config) =>
      isEmbedded(config) ? openEmbedded(databases, observer) : openSql(databases, 'postgres', observer),
  ],
  ['mysql', (databases, observer) => openSql(databases, 'mysql', observer)],
  ...(['dynamodb', 'scylladb', 'surrealdb'] as const).map((driver): [string, Open] => [
    driver,
    (_databases, observer, config) => openRecordStore(driver, config, observer),
  ]),
]);

/** Values of `push.storage_driver` that this build can serve. */
export const PUSH_STORES: readonly string[] = [...DRIVERS.keys()];

/** The store of `push.storage_driver`, not connected yet. */
export async function openPushStore(
  config: Opened,
  databases: Databases,
  observer: StoreObserver = UNOBSERVED,
): Promise<PushStore> {
  const { storage_driver: driver } = config.push;
  const open = DRIVERS.get(driver);
  if (open === undefined) throw new Error(`driver ${driver} is not available in this build`);
  try {
    return await open(databases, observer, config);
  } catch (error) {
    throw explainMissingPackage(driver, error);
  }
}

/** Over the database that the process shares. */
export const openSql = (
  databases: Databases,
  dialect: 'mysql' | 'postgres',
  observer: StoreObserver = UNOBSERVED,
): SqlPushStore => new SqlPushStore(dialect, databases.use(dialect, [pushTables(dialect)]), observer);

/** Over a table of partitioned records. Loads the client library of the driver. */
async function openRecordStore(
  driver: 'dynamodb' | 'scylladb' | 'surrealdb',
  config: Opened,
  observer: StoreObserver,
): Promise<PushStore> {
  const table = `${config.push.table_prefix}_records`;
  return new RecordPushStore(driver, await openRecords(driver, { config, table }), observer);
}

/** A process with a private queue has a private store too. */
const isEmbedded = ({ database, push }: Opened): boolean =>
  database.postgres.embedded && push.queue_driver === 'memory';

/** Uses the embedded database of the process. */
const openEmbedded = (databases: Databases, observer: StoreObserver = UNOBSERVED): SqlPushStore =>
  new SqlPushStore(
    'postgres',
    databases.embedded({ ...EMBEDDED, tables: [pushTables('postgres')] }),
    observer,
  );
