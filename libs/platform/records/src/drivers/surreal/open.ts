import { openSurreal } from '@carillon/surreal';
import type { RecordsOptions } from '../../options.js';
import type { RecordStore } from '../../port.js';
import { SurrealRecords } from './store.js';

const TIMEOUT_MS = 5000;
const PURGE_INTERVAL_MS = 60_000;
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Returns a store over a table, not connected. Loads the client library. Rejects if the table is no identifier. */
export async function openSurrealRecords(
  { config: { database }, table, timeoutMs = TIMEOUT_MS }: RecordsOptions,
  purgeIntervalMs = PURGE_INTERVAL_MS,
): Promise<RecordStore> {
  // It is placed in statements.
  if (!IDENTIFIER.test(table)) throw new Error(`SurrealDB table "${table}" is not an identifier`);
  const session = await openSurreal(database.surrealdb, timeoutMs);
  return new SurrealRecords({ session, table, timeoutMs, purgeIntervalMs });
}
