import {
  baseline,
  compatible,
  type MigrationInterface,
  type Place,
  placed,
  type QueryRunner,
  type SqlDialect,
  type SqlRow,
  type Tables,
} from '@carillon/database';
import type { Table } from './table.js';
import * as tables from './tables.js';

const { CLAIMS, INSTALLATION, WORKERS } = tables;

/** Every table of the room. */
const ALL: readonly Pick<Table<object>, 'create' | 'name'>[] = Object.values(tables);

/** Name of the tables in the migration log. */
export const TABLES_NAME = 'push';

/** Processes older than the migration log start with tables of this version, stored in their version table. */
const VERSION = 1;
const VERSION_TABLE = 'push_schema_version';

/** Returns the qualified name of a table. */
const tableName = (dialect: SqlDialect, place: Place, name: string): string =>
  dialect === 'mysql' ? name : placed(place, name);

/** The tables of the room. */
export function pushTables(dialect: SqlDialect): Tables {
  /** Creates missing tables. */
  class PushTables1764000000001 implements MigrationInterface {
    constructor(private readonly place: Place) {}

    async up(runner: QueryRunner): Promise<void> {
      const named = (name: string): string => tableName(dialect, this.place, name);
      const versions = named(VERSION_TABLE);
      for (const table of ALL)
        for (const statement of table.create(dialect, named)) await runner.query(statement);
      await runner.query(
        `create table if not exists ${versions} (version int not null primary key, applied_ms bigint not null)`,
      );
      const [stored]: SqlRow[] = await runner.query(`select version from ${versions}`);
      if (stored === undefined)
        await runner.query(`insert into ${versions} values (${VERSION}, ${Date.now()})`);
      else if (Number(stored['version']) !== VERSION)
        throw new Error(
          `push tables are of version ${Number(stored['version'])}, this build needs ${VERSION}`,
        );
    }

    async down(runner: QueryRunner): Promise<void> {
      for (const name of [VERSION_TABLE, ...ALL.map((table) => table.name)])
        await runner.query(`drop table if exists ${tableName(dialect, this.place, name)}`);
    }
  }

  /** Adds a column to tables created before it. */
  abstract class AddedColumn implements MigrationInterface {
    constructor(
      private readonly place: Place,
      private readonly table: string,
      private readonly column: string,
      private readonly type: string,
    ) {}

    async up(runner: QueryRunner): Promise<void> {
      const columns: SqlRow[] = await runner.query(
        `select 1 from information_schema.columns where table_schema = ${this.#schema}
         and table_name = '${this.table}' and column_name = '${this.column}'`,
      );
      if (columns.length === 0)
        await runner.query(`alter table ${this.#table} add column ${this.column} ${this.type} null`);
    }

    async down(runner: QueryRunner): Promise<void> {
      await runner.query(`alter table ${this.#table} drop column ${this.column}`);
    }

    get #table(): string {
      return tableName(dialect, this.place, this.table);
    }

    get #schema(): string {
      if (dialect === 'mysql') return 'database()';
      return this.place === null ? 'current_schema()' : `'${this.place}'`;
    }
  }
  class FirstAttempts1764000000002 extends AddedColumn {
    constructor(place: Place) {
      super(place, CLAIMS.name, 'first_attempt_ms', 'bigint');
    }
  }
  class WorkerCredentials1764000000003 extends AddedColumn {
    constructor(place: Place) {
      super(place, WORKERS.name, 'credentials', 'json');
    }
  }
  /** Adds a table to schemas created before it. */
  class Installation1764000000004 implements MigrationInterface {
    constructor(private readonly place: Place) {}

    async up(runner: QueryRunner): Promise<void> {
      const named = (name: string): string => tableName(dialect, this.place, name);
      for (const statement of INSTALLATION.create(dialect, named)) await runner.query(statement);
    }

    async down(runner: QueryRunner): Promise<void> {
      await runner.query(`drop table if exists ${tableName(dialect, this.place, INSTALLATION.name)}`);
    }
  }
  return {
    name: TABLES_NAME,
    owned: { tables: [VERSION_TABLE, ...ALL.map(({ name }) => name)] },
    migrations: [
      baseline(PushTables1764000000001),
      compatible(FirstAttempts1764000000002),
      compatible(WorkerCredentials1764000000003),
      compatible(Installation1764000000004),
    ],
  };
}
