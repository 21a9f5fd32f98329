import { bounded } from '@carillon/runtime';
import type { DataSource, MigrationExecutor, MigrationInterface, QueryRunner } from 'typeorm';
import type { Dialect } from '../dialects/dialect.js';
import { DatabaseUnavailable } from '../failures.js';
import { ANSWER_GRACE_MS, CLOSE_TIMEOUT_MS, MIGRATION_TIMEOUT_MS } from '../limits.js';
import { openDataSource } from '../open.js';
import { failureOf, Session } from '../session.js';
import type { DatabaseTarget } from '../target.js';
import { RECORDS } from './records.js';
import { isRecordOf, type Migration, type Place, recordOf, requiredPrefix, type Tables } from './tables.js';

export type MigratedListener = (name: string, wayBack: string | null) => void;

export interface MigrationParts {
  readonly rules: Dialect;
  readonly target: DatabaseTarget;
  readonly tables: readonly Tables[];
  /** Receives the recorded name of each migration that ran; `wayBack` of a breaking one, else null. */
  readonly onMigrated: MigratedListener;
}

/** Limit of waiting for a concurrent migration and migrating. */
const LONGEST_MS = 2 * MIGRATION_TIMEOUT_MS;

/**
 * Finds out where the tables are, or will be, and runs the migrations that are not recorded yet, under a lock that one
 * process of all has at a time. Over a connection of its own, which has the long time limits of a migration.
 */
export async function migrate(parts: MigrationParts): Promise<ReadonlyMap<string, Place>> {
  const { rules, target, tables } = parts;
  const places = new Map<string, Place>();
  const migrations = tables.flatMap(({ name, migrations: all }) =>
    all.map((one) => recorded(recordOf(name, one), one, () => places.get(name) ?? null)),
  );
  const source = await openDataSource(rules, { ...target, pool: { min: 0, max: 1 } }, { migrations });
  const runner = source.createQueryRunner();
  let session: Session | null = null;
  try {
    const outcome = await bounded(LONGEST_MS, async () => {
      const connection = (await runner.connect()) as object;
      const limits = { statementMs: MIGRATION_TIMEOUT_MS, calls: 1 };
      session = new Session(rules, runner, connection, MIGRATION_TIMEOUT_MS + ANSWER_GRACE_MS, () => {});
      await session.query(rules.sessionSetup(target, limits));
      await underLock(parts, session, source, runner, places);
    });
    if (outcome.kind === 'failed') throw reasonOf(rules, outcome.error);
    if (outcome.kind === 'timeout') throw new DatabaseUnavailable('timeout', 'the migration took too long');
    return places;
  } finally {
    // Ends any remaining statement, and with it the lock.
    (session as Session | null)?.abandon();
    await bounded(CLOSE_TIMEOUT_MS, () => source.destroy());
  }
}

async function underLock(
  { rules, target, tables, onMigrated }: MigrationParts,
  session: Session,
  source: DataSource,
  runner: QueryRunner,
  places: Map<string, Place>,
): Promise<void> {
  const { MigrationExecutor } = await import('typeorm');
  await rules.locked(session, target.database, async () => {
    const settled = await rules.settle(session, target, [RECORDS, ...tables]);
    for (const [name, { place }] of settled) places.set(name, place);
    const home = places.get(RECORDS.name) ?? null;
    // Read by the executor when it is made.
    if (home !== null) source.setOptions({ schema: home });
    const executor = new MigrationExecutor(source, runner);
    executor.transaction = 'none';
    const dropped = tables.filter(({ name }) => settled.get(name)?.areThere !== true);
    if (settled.get(RECORDS.name)?.areThere === true)
      for (const { name } of dropped) await forget(executor, name);
    await refuseNewer(executor, source, tables);
    const wayBackOf = waysBack(tables);
    for (const { name } of await executor.executePendingMigrations())
      onMigrated(name, wayBackOf.get(name) ?? null);
  });
}

/** Removes the records of dropped tables, so that they are created again. */
async function forget(executor: MigrationExecutor, of: string): Promise<void> {
  for (const one of await executor.getExecutedMigrations())
    if (isRecordOf(of, one.name)) await executor.deleteMigration(one);
}

/** Returns the way back from each breaking migration by its recorded name. */
const waysBack = (tables: readonly Tables[]): ReadonlyMap<string, string> =>
  new Map(
    tables.flatMap(({ name, migrations }) =>
      migrations.flatMap((one) => (one.kind === 'breaking' ? [[recordOf(name, one), one.wayBack]] : [])),
    ),
  );

/** Throws if a breaking migration that this process does not know has run. Unknown compatible ones are ignored. */
async function refuseNewer(
  executor: MigrationExecutor,
  source: DataSource,
  tables: readonly Tables[],
): Promise<void> {
  const known = new Set(source.migrations.map(({ name }) => name));
  for (const { name } of await executor.getExecutedMigrations()) {
    const of = tables.find((one) => name.startsWith(requiredPrefix(one.name)));
    if (of === undefined || known.has(name)) continue;
    throw new Error(
      `the tables of ${of.name} are of a newer version: this process does not know ${name}; start a release that does, or restore a copy of the database from before`,
    );
  }
}

/** A migration under the name that is recorded; where its tables are is known when it runs. */
const recorded = (record: string, { migration: Implementation }: Migration, place: () => Place) =>
  class implements MigrationInterface {
    readonly name = record;

    up(runner: QueryRunner): Promise<void> {
      return new Implementation(place()).up(runner) as Promise<void>;
    }

    down(runner: QueryRunner): Promise<void> {
      return new Implementation(place()).down(runner) as Promise<void>;
    }
  };

/** Converts errors of the client library; errors thrown by a migration are unchanged. */
const reasonOf = (rules: Dialect, thrown: unknown): unknown =>
  typeof thrown === 'object' && thrown !== null && 'driverError' in thrown
    ? failureOf(rules, thrown)
    : thrown;
