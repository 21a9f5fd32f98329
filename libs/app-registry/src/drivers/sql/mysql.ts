import type { Place, QueryRunner, SqlRow } from '@carillon/database';
import type { ColumnKind } from './columns.js';
import type { FoundTable, Index, TableDialect } from './dialect.js';

const quote = (name: string): string => `\`${name}\``;

/**
 * The binary collations of MySQL and of MariaDB that compare every byte. `COMMON`, which both have, ignores trailing
 * spaces.
 */
const EXACT = ['utf8mb4_0900_bin', 'utf8mb4_nopad_bin'];
const COMMON = 'utf8mb4_bin';

async function types(runner: Pick<QueryRunner, 'query'>): Promise<Readonly<Record<ColumnKind, string>>> {
  const rows: SqlRow[] = await runner.query(
    'select collation_name as name from information_schema.collations where collation_name in (?)',
    [EXACT],
  );
  const collation = rows[0] === undefined ? COMMON : String(rows[0]['name']);
  return {
    bigint: 'bigint',
    boolean: 'boolean',
    created: 'timestamp(6) default current_timestamp(6)',
    integer: 'int',
    json: 'json',
    name: `varchar(255) character set utf8mb4 collate ${collation}`,
    secret: `varchar(255) character set utf8mb4 collate ${collation}`,
    updated: 'timestamp(6) default current_timestamp(6) on update current_timestamp(6)',
  };
}

async function find(runner: Pick<QueryRunner, 'query'>, _place: Place, table: string): Promise<FoundTable> {
  const columns: SqlRow[] = await runner.query(
    'select column_name as name from information_schema.columns where table_schema = database() and table_name = ?',
    [table],
  );
  const parts: SqlRow[] = await runner.query(
    `select index_name as index_name, column_name as column_name, non_unique as non_unique
     from information_schema.statistics where table_schema = database() and table_name = ?
     order by index_name, seq_in_index`,
    [table],
  );
  const indexes = new Map<string, Index>();
  for (const row of parts) {
    const name = String(row['index_name']);
    const before = indexes.get(name)?.columns ?? [];
    indexes.set(name, {
      columns: [...before, String(row['column_name'])],
      unique: Number(row['non_unique']) === 0,
    });
  }
  return {
    columns: new Set(columns.map(({ name }) => String(name))),
    indexes: [...indexes.values()],
  };
}

/** MySQL and MariaDB. */
export const mysql: TableDialect = {
  quote,
  table: (_place, name) => quote(name),
  types,
  find,
  // The type of `updated_at` already covers it.
  afterCreation: () => [],
  afterDrop: () => [],
  owned: () => ({}),
  addIndex: (table, column, unique) =>
    `alter table ${table} add ${unique ? 'unique ' : ''}index (${quote(column)})`,
  jsonText(name, maxBytes) {
    // A value that the server cannot convert for lack of space becomes null and counts as too long.
    return `case when ${name} is null then null
      when coalesce(length(${name}), ${maxBytes + 1}) > ${maxBytes} then '' else cast(${name} as char) end`;
  },
  timeText: (expression) => `cast(${expression} as char)`,
  time: (placeholder, lessSeconds) => `cast(${placeholder} as datetime(6)) - interval ${lessSeconds} second`,
  now: 'current_timestamp(6)',
};
