import type { Config } from '@carillon/config';
import { DATABASES, DatabaseModule, type Databases } from '@carillon/database';
import {
  type HistoryStore,
  historyTables,
  PostgresHistoryStore,
  SERVER_SPREAD,
} from '@carillon/history-store';
import { CONFIG } from '@carillon/runtime';
import { Global, Module } from '@nestjs/common';

/** Token of the `HistoryStore`. */
export const HISTORY_STORE = Symbol('history store');

/** Values of `history.backend` that this build can serve. */
export const HISTORY_BACKENDS: readonly string[] = ['postgres'];

function openStore({ history }: Config, databases: Databases): HistoryStore {
  if (history.backend !== 'postgres')
    throw new Error(`history.backend ${history.backend} is not available here`);
  const { table_prefix: prefix, write_timeout_ms: writeTimeoutMs } = history.postgres;
  const spread = SERVER_SPREAD;
  const database = databases.use('postgres', [historyTables(prefix, spread)]);
  return new PostgresHistoryStore(database, { prefix, spread, writeTimeoutMs, now: Date.now });
}

/** The store of durable channels in PostgreSQL, for the whole process. Needs `RuntimeModule`. */
@Global()
@Module({
  imports: [DatabaseModule],
  providers: [{ provide: HISTORY_STORE, inject: [CONFIG, DATABASES], useFactory: openStore }],
  exports: [HISTORY_STORE],
})
export class HistoryStoreModule {}
