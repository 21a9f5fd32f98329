import type { Config } from '@carillon/config';
import type { Databases } from '@carillon/database';
import { MemoryPushStore } from './memory/memory-store.js';
import type { PushStore } from './port.js';
import { type StoreObserver, UNOBSERVED } from './sql/session.js';
import { SqlPushStore } from './sql/sql-store.js';
import { pushTables } from './sql/schema.js';

type Open = (databases: Databases, observer: StoreObserver) => PushStore;

/** One line a driver. */
const DRIVERS: ReadonlyMap<string, Open> = new Map<string, Open>([
  ['memory', () => new MemoryPushStore()],
  ['postgres', (databases, observer) => openSql(databases, 'postgres', observer)],
  ['mysql', (databases, observer) => openSql(databases, 'mysql', observer)],
]);

/** Values of `push.storage_driver` that this build can serve. */
export const PUSH_STORES: readonly string[] = [...DRIVERS.keys()];

/** The store of `push.storage_driver`, not connected yet. */
export function openPushStore(
  { push }: Pick<Config, 'push'>,
  databases: Databases,
  observer: StoreObserver = UNOBSERVED,
): PushStore {
  const open = DRIVERS.get(push.storage_driver);
  if (open === undefined) throw new Error(`driver ${push.storage_driver} is not available in this build`);
  return open(databases, observer);
}

/** Over the database that the process shares. */
export const openSql = (
  databases: Databases,
  dialect: 'mysql' | 'postgres',
  observer: StoreObserver = UNOBSERVED,
): SqlPushStore => new SqlPushStore(dialect, databases.use(dialect, [pushTables(dialect)]), observer);
