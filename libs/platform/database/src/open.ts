import { bounded } from '@carillon/runtime';
import type { DataSource, EntitySchemaOptions, Logger, MigrationInterface } from 'typeorm';
import type { Dialect } from './dialects/dialect.js';
import { DatabaseUnavailable } from './failures.js';
import { ANSWER_TIMEOUT_MS } from './limits.js';
import { RECORDS_TABLE } from './migrations/records.js';
import { checkServer } from './server-version.js';
import { failureOf } from './session.js';
import type { DatabaseTarget } from './target.js';

/** Silences TypeORM's logger, which bypasses the log of the process and may contain values; failures are thrown. */
const SILENT: Logger = {
  logQuery: () => {},
  logQueryError: () => {},
  logQuerySlow: () => {},
  logSchemaBuild: () => {},
  logMigration: () => {},
  log: () => {},
};

/** Entities and migrations of a data source. */
export interface SourceParts {
  readonly migrations?: readonly (new () => MigrationInterface)[];
  readonly entities?: readonly EntitySchemaOptions<Record<string, unknown>>[];
}

/** Connects once, so that a wrong setting or too old a server shows. Loads TypeORM and with it the client library of the dialect. */
export async function openDataSource(
  rules: Dialect,
  target: DatabaseTarget,
  { migrations = [], entities = [] }: SourceParts,
): Promise<DataSource> {
  await rules.load?.();
  const { DataSource, EntitySchema } = await import('typeorm');
  const source = new DataSource({
    ...rules.options(target),
    logger: SILENT,
    migrations: [...migrations],
    migrationsTableName: RECORDS_TABLE,
    entities: entities.map((entity) => new EntitySchema(entity)),
  });
  const outcome = await bounded(ANSWER_TIMEOUT_MS, async () => {
    await source.initialize();
    const [said] = await source.query<{ version: string }[]>('select version() as version');
    const { name, version } = rules.server(said?.version ?? '');
    checkServer(name, version, rules.oldest);
  });
  if (outcome.kind === 'done') return source;
  // A half-open data source holds connections; they are closed, however long that takes.
  source.driver.disconnect().catch(() => undefined);
  if (outcome.kind === 'failed') throw failureOf(rules, outcome.error);
  throw new DatabaseUnavailable('timeout', `no answer in ${ANSWER_TIMEOUT_MS} ms`);
}
