import type { SqlSession } from '@carillon/database';
import type { FoundTable, TableDialect } from './dialect.js';

const quote = (name: string): string => `"${name}"`;

/** Names are cut to 63 bytes by the database; this one is made to fit. */
const touch = (table: string): string => quote(`${table.slice(0, 50)}_touch`);

const IN_THIS_SCHEMA = `to_regclass(quote_ident(current_schema()) || '.' || quote_ident($1))`;

async function find(session: SqlSession, table: string): Promise<FoundTable> {
  const columns = await session.query(
    `select attname::text as name from pg_attribute
     where attrelid = ${IN_THIS_SCHEMA} and attnum > 0 and not attisdropped`,
    [table],
  );
  const indexes = await session.query(
    `select indisunique as is_unique, (
       select string_agg(coalesce(attname::text, ''), ',' order by position)
       from unnest(indkey) with ordinality as key (number, position)
       left join pg_attribute on attrelid = indrelid and attnum = number
     ) as columns
     from pg_index where indrelid = ${IN_THIS_SCHEMA} and indpred is null and indisvalid`,
    [table],
  );
  return {
    columns: new Set(columns.rows.map(({ name }) => String(name))),
    indexes: indexes.rows.map((row) => ({
      columns: String(row['columns']).split(','),
      unique: row['is_unique'] === true,
    })),
  };
}

/** PostgreSQL. */
export const postgres: TableDialect = {
  quote,
  placeholder: (position) => `$${position}`,
  types: async () => ({
    boolean: 'boolean',
    created: 'timestamptz default now()',
    integer: 'integer',
    json: 'jsonb',
    name: 'varchar(255)',
    secret: 'varchar(255)',
    updated: 'timestamptz default now()',
  }),
  find,
  afterCreation: (table) => [
    `create or replace function ${touch(table)}() returns trigger language plpgsql as
     $$ begin new.updated_at := now(); return new; end $$`,
    `create trigger ${touch(table)} before update on ${quote(table)}
     for each row execute function ${touch(table)}()`,
  ],
  addIndex: (table, column, unique) =>
    `create ${unique ? 'unique ' : ''}index on ${quote(table)} (${quote(column)})`,
  jsonText(column, maxBytes) {
    const text = `${quote(column)}::text`;
    return `case when octet_length(${text}) > ${maxBytes} then '' else ${text} end`;
  },
  timeText: (expression) => `(${expression})::timestamptz::text`,
  time: (placeholder, lessSeconds) => `${placeholder}::timestamptz - interval '${lessSeconds} seconds'`,
  now: 'now()',
};
