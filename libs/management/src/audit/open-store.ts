import type { Config } from '@carillon/config';
import type { Databases, SqlDialect } from '@carillon/database';
import { LogAuditStore } from './log-store.js';
import { auditTables, SqlAuditStore } from './sql-store.js';
import type { AuditStore } from './entry.js';

const isSql = (driver: string): driver is SqlDialect => driver === 'mysql' || driver === 'postgres';

/** The SQL database of the app store, else of the history; null: neither is one that processes share. */
function sqlDialectOf({ app_manager: apps, history, database }: Config): SqlDialect | null {
  if (isSql(apps.driver)) return apps.driver;
  const isEmbedded = history.backend === 'postgres' && database.postgres.embedded;
  return history.enabled && isSql(history.backend) && !isEmbedded ? history.backend : null;
}

export function openAuditStore(config: Config, databases: Databases): AuditStore {
  const dialect = config.management.audit.store === 'log' ? null : sqlDialectOf(config);
  return dialect === null
    ? new LogAuditStore()
    : new SqlAuditStore(databases.use(dialect, [auditTables(dialect)]));
}
