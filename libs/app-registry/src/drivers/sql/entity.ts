import type { EntitySchemaOptions, Place, SqlDialect } from '@carillon/database';
import { COLUMNS, type Column, type ColumnKind } from './columns.js';

/** The entity of an app; its members are named like the columns. */
export const APP = 'App';

const TYPES: Readonly<Record<SqlDialect, Readonly<Record<ColumnKind, string>>>> = {
  postgres: {
    bigint: 'bigint',
    boolean: 'boolean',
    created: 'timestamptz',
    integer: 'integer',
    json: 'jsonb',
    name: 'varchar',
    secret: 'varchar',
    updated: 'timestamptz',
  },
  mysql: {
    bigint: 'bigint',
    boolean: 'boolean',
    created: 'timestamp',
    integer: 'int',
    json: 'json',
    name: 'varchar',
    secret: 'varchar',
    updated: 'timestamp',
  },
};

/** The table of the apps as an entity. */
export const appEntity =
  (dialect: SqlDialect, table: string) =>
  (place: Place): EntitySchemaOptions<Record<string, unknown>> => ({
    name: APP,
    tableName: table,
    ...(place === null ? {} : { schema: place }),
    columns: Object.fromEntries(COLUMNS.map((column) => [column.name, optionsOf(dialect, column)])),
  });

const optionsOf = (dialect: SqlDialect, { name, kind, optional }: Column) => ({
  type: TYPES[dialect][kind] as 'varchar',
  primary: name === 'id',
  nullable: optional,
});
