import {
  baseline,
  type MigrationInterface,
  type Place,
  placed,
  type QueryRunner,
  type SqlRow,
  type Tables,
} from '@carillon/database';
import { createRowTypes, ROW_TYPE_NAMES } from './row-types.js';
import { firstTables } from './first-tables.js';
import type { Spread } from './spread.js';

const PREFIX = /^[A-Za-z_][A-Za-z0-9_]{0,40}$/;

/** Returns the qualified name of a table. */
export const tableNames =
  (prefix: string, place: Place) =>
  (name: string): string =>
    placed(place, `${prefix}_${name}`);

/** Complete tables; the first exists whenever any does. */
const TABLES = [
  'meta',
  'lanes',
  'streams',
  'records',
  'messages',
  'receipts',
  'annotations',
  'annotation_parts',
  'annotation_summaries',
  'presence_events',
  'presence_members',
  'presence_checkpoints',
  'operator_log',
];

/** Name of the tables of a prefix in the migration log. */
export const tablesName = (prefix: string): string => `history ${prefix}`;

/** The tables of the room. */
export function historyTables(prefix: string, spread: Spread): Tables {
  if (!PREFIX.test(prefix)) throw new Error('the table prefix is not an identifier of at most 41 characters');
  /**
   * Creates the tables, or adopts those whose version is stored in `meta`. That version is still maintained for older
   * processes, which keep running as long as they support it.
   */
  class HistoryTables1764000000001 implements MigrationInterface {
    private readonly table: (name: string) => string;

    constructor(place: Place) {
      this.table = tableNames(prefix, place);
    }

    async up(runner: QueryRunner): Promise<void> {
      for (const statement of await firstTables(runner, prefix, this.table, spread))
        await runner.query(statement);
    }

    async down(runner: QueryRunner): Promise<void> {
      for (const name of TABLES) await runner.query(`drop table if exists ${this.table(name)}`);
      for (const name of ROW_TYPE_NAMES) await runner.query(`drop type if exists ${this.table(name)}`);
    }
  }
  /** Contributions to a summary since its text was stored. */
  class HistorySince1764000000002 implements MigrationInterface {
    private readonly table: (name: string) => string;

    constructor(place: Place) {
      this.table = tableNames(prefix, place);
    }

    async up(runner: QueryRunner): Promise<void> {
      await runner.query(`alter table ${this.table('annotation_summaries')} add column since bytea`);
      for (const statement of createRowTypes(this.table, 6)) await runner.query(statement);
    }

    async down(runner: QueryRunner): Promise<void> {
      await runner.query(`alter table ${this.table('annotation_summaries')} drop column since`);
    }
  }
  /**
   * Messages that are changed stay on their page: no index has a column that every change changes, unless they are over
   * some time after it. Writers wait for as long as it takes to look through all messages once for those that are open.
   */
  class HistoryInPlace1764000000003 implements MigrationInterface {
    private readonly table: (name: string) => string;

    constructor(place: Place) {
      this.table = tableNames(prefix, place);
    }

    async up(runner: QueryRunner): Promise<void> {
      const messages = this.table('messages');
      await dropIndex(runner, messages, '(last_activity_ms)');
      await runner.query(
        `create index on ${messages} (stream_key, generation, history_serial) where is_open`,
      );
      // Free space on each page for new row versions; existing pages keep their fill.
      const parts: SqlRow[] = await runner.query(
        'select inhrelid::regclass::text as name from pg_inherits where inhparent = to_regclass($1)',
        [messages],
      );
      for (const { name } of parts) await runner.query(`alter table ${String(name)} set (fillfactor = 70)`);
    }

    async down(runner: QueryRunner): Promise<void> {
      await dropIndex(runner, this.table('messages'), 'where is_open');
      await runner.query(`create index on ${this.table('messages')} (last_activity_ms) where is_open`);
    }
  }
  const named = (names: readonly string[]): string[] => names.map((name) => `${prefix}_${name}`);
  return {
    name: tablesName(prefix),
    owned: { tables: named(TABLES), types: named(ROW_TYPE_NAMES) },
    migrations: [
      baseline(HistoryTables1764000000001),
      baseline(HistorySince1764000000002),
      baseline(HistoryInPlace1764000000003),
    ],
  };
}

/** Finds the index by its definition: long names are truncated in different ways. */
async function dropIndex(runner: QueryRunner, of: string, definition: string): Promise<void> {
  const found: SqlRow[] = await runner.query(
    `select indexrelid::regclass::text as name from pg_index
      where indrelid = to_regclass($1) and strpos(lower(pg_get_indexdef(indexrelid)), $2) > 0`,
    [of, definition],
  );
  for (const { name } of found) await runner.query(`drop index ${String(name)}`);
}
