import { type Place, placed, type QueryRunner, type SqlRow } from '@carillon/database';
import type { FoundTable, TableDialect } from './dialect.js';

const quote = (name: string): string => `"${name}"`;

/** Names are cut to 63 bytes by the database; this one is made to fit. */
const touchName = (table: string): string => `${table.slice(0, 50)}_touch`;

async function find(runner: Pick<QueryRunner, 'query'>, place: Place, table: string): Promise<FoundTable> {
  const name = placed(place, table);
  const columns: SqlRow[] = await runner.query(
    `select attname::text as name from pg_attribute
     where attrelid = to_regclass($1) and attnum > 0 and not attisdropped`,
    [name],
  );
  const indexes: SqlRow[] = await runner.query(
    `select indisunique as is_unique, (
       select string_agg(coalesce(attname::text, ''), ',' order by position)
       from unnest(indkey) with ordinality as key (number, position)
       left join pg_attribute on attrelid = indrelid and attnum = number
     ) as columns
     from pg_index where indrelid = to_regclass($1) and indpred is null and indisvalid`,
    [name],
  );
  return {
    columns: new Set(columns.map(({ name }) => String(name))),
    indexes: indexes.map((row) => ({
      columns: String(row['columns']).split(','),
      unique: row['is_unique'] === true,
    })),
  };
}

/** PostgreSQL. */
export const postgres: TableDialect = {
  quote,
  table: placed,
  types: async () => ({
    bigint: 'bigint',
    boolean: 'boolean',
    created: 'timestamptz default now()',
    integer: 'integer',
    json: 'jsonb',
    name: 'varchar(255)',
    secret: 'varchar(255)',
    updated: 'timestamptz default now()',
  }),
  find,
  afterCreation(place, table) {
    const touch = placed(place, touchName(table));
    return [
      `create or replace function ${touch}() returns trigger language plpgsql as
       $$ begin new.updated_at := now(); return new; end $$`,
      `create trigger ${quote(touchName(table))} before update on ${placed(place, table)}
       for each row execute function ${touch}()`,
    ];
  },
  afterDrop: (place, table) => [`drop function if exists ${placed(place, touchName(table))}()`],
  owned: (table) => ({ functions: [touchName(table)] }),
  addIndex: (table, column, unique) =>
    `create ${unique ? 'unique ' : ''}index on ${table} (${quote(column)})`,
  jsonText(column, maxBytes) {
    const text = `cast(${column} as text)`;
    return `case when octet_length(${text}) > ${maxBytes} then '' else ${text} end`;
  },
  timeText: (expression) => `(${expression})::timestamptz::text`,
  time: (placeholder, lessSeconds) => `${placeholder}::timestamptz - interval '${lessSeconds} seconds'`,
  now: 'now()',
};
