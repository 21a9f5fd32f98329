import { openSurreal } from '@carillon/surreal';
import type { RecordsOptions } from '../../options.js';
import type { RecordStore } from '../../port.js';
import type { SurrealTimes } from './parts.js';
import { SurrealRecords } from './store.js';

const TIMES: SurrealTimes = { timeoutMs: 5000, purgeIntervalMs: 60_000 };
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Returns a store over a table, not connected. Loads the client library. Rejects if the table is no identifier. */
export async function openSurrealRecords(
  { config: { database }, table }: RecordsOptions,
  times: SurrealTimes = TIMES,
): Promise<RecordStore> {
  // It is placed in statements.
  if (!IDENTIFIER.test(table)) throw new Error(`SurrealDB table "${table}" is not an identifier`);
  const session = await openSurreal(database.surrealdb, times.timeoutMs);
  return new SurrealRecords({ session, table, ...times });
}
