import type { Migration } from '@carillon/database';
import { COLUMNS, INDEXED, type Column } from './columns.js';
import type { FoundTable, TableDialect } from './dialect.js';

/** The table of the apps: created when it is missing, and given the columns and indexes it lacks. */
export const appTable = (dialect: TableDialect, table: string): Migration => ({
  name: `table ${table}`,
  async missing(session) {
    const types = await dialect.types(session);
    const define = ({ name, kind, optional, initial }: Column): string =>
      [
        dialect.quote(name),
        types[kind],
        optional ? 'null' : 'not null',
        ...(initial === null ? [] : [`default ${initial}`]),
      ].join(' ');
    const found = await dialect.find(session, table);
    const name = dialect.quote(table);
    const fresh = found.columns.size === 0;
    const body = [...COLUMNS.map(define), `primary key (${dialect.quote('id')})`];
    const columns = fresh
      ? [`create table ${name} (${body.join(', ')})`, ...dialect.afterCreation(table)]
      : COLUMNS.filter((one) => !found.columns.has(one.name)).map(
          (one) => `alter table ${name} add column ${define(one)}`,
        );
    const indexes = INDEXED.filter((one) => !isIndexed(found, one)).map((one) =>
      dialect.addIndex(table, one, one === 'key'),
    );
    return [...columns, ...indexes];
  },
});

function isIndexed({ indexes }: FoundTable, column: (typeof INDEXED)[number]): boolean {
  return column === 'key'
    ? indexes.some(({ columns, unique }) => unique && columns.length === 1 && columns[0] === column)
    : indexes.some(({ columns }) => columns[0] === column);
}
