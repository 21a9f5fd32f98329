import {
  baseline,
  compatible,
  type MigrationInterface,
  type Place,
  type QueryRunner,
  type SqlDialect,
  type Tables,
} from '@carillon/database';
import { COLUMNS, INDEXED, type Column } from './columns.js';
import type { FoundTable, TableDialect } from './dialect.js';
import { appEntity } from './entity.js';

/** The table of the apps, by the name that is configured. */
export function appTables(name: SqlDialect, dialect: TableDialect, table: string): Tables {
  /**
   * Creates the table, or adds missing columns and indexes to an existing one, including one created by another
   * program.
   */
  class AppTable1764000000001 implements MigrationInterface {
    constructor(private readonly place: Place) {}

    async up(runner: QueryRunner): Promise<void> {
      for (const statement of await missing(runner, dialect, this.place, table))
        await runner.query(statement);
    }

    async down(runner: QueryRunner): Promise<void> {
      await runner.query(`drop table ${dialect.table(this.place, table)}`);
      for (const statement of dialect.afterDrop(this.place, table)) await runner.query(statement);
    }
  }
  /** Adds the columns of the previous secret. */
  class AppPreviousSecret1764288000001 implements MigrationInterface {
    constructor(private readonly place: Place) {}

    async up(runner: QueryRunner): Promise<void> {
      for (const statement of await missing(runner, dialect, this.place, table))
        await runner.query(statement);
    }

    async down(runner: QueryRunner): Promise<void> {
      for (const name of ['previous_secret', 'previous_secret_expires_at'])
        await runner.query(
          `alter table ${dialect.table(this.place, table)} drop column ${dialect.quote(name)}`,
        );
    }
  }
  return {
    name: `apps ${table}`,
    owned: { tables: [table], ...dialect.owned(table) },
    migrations: [baseline(AppTable1764000000001), compatible(AppPreviousSecret1764288000001)],
    entity: appEntity(name, table),
  };
}

async function missing(
  runner: QueryRunner,
  dialect: TableDialect,
  place: Place,
  table: string,
): Promise<readonly string[]> {
  const types = await dialect.types(runner);
  const define = ({ name, kind, optional, initial }: Column): string =>
    [
      dialect.quote(name),
      types[kind],
      optional ? 'null' : 'not null',
      ...(initial === null ? [] : [`default ${initial}`]),
    ].join(' ');
  const found = await dialect.find(runner, place, table);
  const name = dialect.table(place, table);
  const body = [...COLUMNS.map(define), `primary key (${dialect.quote('id')})`];
  const columns =
    found.columns.size === 0
      ? [`create table ${name} (${body.join(', ')})`, ...dialect.afterCreation(place, table)]
      : COLUMNS.filter((one) => !found.columns.has(one.name)).map(
          (one) => `alter table ${name} add column ${define(one)}`,
        );
  const indexes = INDEXED.filter((one) => !isIndexed(found, one)).map((one) =>
    dialect.addIndex(name, one, one === 'key'),
  );
  return [...columns, ...indexes];
}

function isIndexed({ indexes }: FoundTable, column: (typeof INDEXED)[number]): boolean {
  return column === 'key'
    ? indexes.some(({ columns, unique }) => unique && columns.length === 1 && columns[0] === column)
    : indexes.some(({ columns }) => columns[0] === column);
}
