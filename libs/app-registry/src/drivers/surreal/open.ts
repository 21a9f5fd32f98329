import type { Config } from '@carillon/config';
import { openSurreal } from '@carillon/surreal';
import { SurrealAppStore } from './store.js';

/** Limit of one request; callers bound the whole call. */
const REQUEST_TIMEOUT_MS = 5000;

/** Returns a store that is not connected. */
export async function openSurrealStore({
  database: { surrealdb },
}: Pick<Config, 'database'>): Promise<SurrealAppStore> {
  return new SurrealAppStore(await openSurreal(surrealdb, REQUEST_TIMEOUT_MS), surrealdb.table_name);
}
