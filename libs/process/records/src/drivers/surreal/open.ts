import type { Config } from '@carillon/config';
import { openSurreal } from '@carillon/surreal';
import type { RecordStore } from '../../port.js';
import { SurrealRecords } from './store.js';

const PURGE_INTERVAL_MS = 60_000;
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Returns a store over a table, not connected. Loads the client library. Rejects if the table is no identifier. */
export async function openSurrealRecords(
  { database: { surrealdb } }: Pick<Config, 'database'>,
  {
    table,
    timeoutMs,
    purgeIntervalMs = PURGE_INTERVAL_MS,
  }: { readonly table: string; readonly timeoutMs: number; readonly purgeIntervalMs?: number },
): Promise<RecordStore> {
  // It is placed in statements.
  if (!IDENTIFIER.test(table)) throw new Error(`SurrealDB table "${table}" is not an identifier`);
  const session = await openSurreal(surrealdb, timeoutMs);
  return new SurrealRecords({ session, table, timeoutMs, purgeIntervalMs });
}
