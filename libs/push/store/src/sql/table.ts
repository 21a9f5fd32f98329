import type { SqlDialect, SqlRow, SqlScalar } from '@carillon/database';

/** Type of a column; `?` allows null. */
export type Kind = `${'id' | 'key' | 'text' | 'int' | 'bool' | 'json'}${'' | '?'}`;

const TYPES: Readonly<Record<SqlDialect, Readonly<Record<string, string>>>> = {
  postgres: {
    id: 'text collate "C"',
    key: 'text collate "C"',
    text: 'text',
    int: 'bigint',
    bool: 'boolean',
    json: 'json',
  },
  // Ids are bytes, so that no collation pads or folds them.
  mysql: {
    id: 'varbinary(255)',
    key: 'varbinary(1000)',
    text: 'longtext character set utf8mb4 collate utf8mb4_bin',
    int: 'bigint',
    bool: 'boolean',
    json: 'json',
  },
};

export interface TableShape {
  readonly name: string;
  /** Kind by column. */
  readonly columns: Readonly<Record<string, Kind>>;
  readonly key: readonly string[];
  /** Columns of further indexes. */
  readonly indexes?: readonly (readonly string[])[];
}

/** Others are text. */
const ARRAYS: Readonly<Record<string, string>> = { int: 'bigint', bool: 'boolean' };

/** A table of rows whose members are named like its columns, in camel case. */
export class Table<Row extends object> {
  readonly names: readonly string[];
  /** For a `select`. */
  readonly list: string;
  /** PostgreSQL: array parameters by column, and the expressions taken from them. */
  readonly arrays: string;
  readonly taken: string;

  constructor(readonly shape: TableShape) {
    this.names = Object.keys(shape.columns);
    this.list = this.names.join(', ');
    const kinds = Object.entries(shape.columns).map(([name, kind]) => [name, kind.replace('?', '')] as const);
    this.arrays = kinds.map(([, kind]) => `?::${ARRAYS[kind] ?? 'text'}[]`).join(', ');
    this.taken = kinds.map(([name, kind]) => (kind === 'json' ? `${name}::json` : name)).join(', ');
  }

  get name(): string {
    return this.shape.name;
  }

  /** Returns idempotent statements that create it. `placed` qualifies a name. */
  create(dialect: SqlDialect, placed: (name: string) => string): string[] {
    const { name, columns, key, indexes = [] } = this.shape;
    const lines = Object.entries(columns).map(([column, kind]) => {
      const type = TYPES[dialect][kind.replace('?', '')] ?? '';
      return `${column} ${type}${kind.endsWith('?') ? '' : ' not null'}`;
    });
    lines.push(`primary key (${key.join(', ')})`);
    const named = indexes.map((of, number) => [`${name}_${number + 1}`, of.join(', ')] as const);
    if (dialect === 'mysql') {
      lines.push(...named.map(([index, of]) => `key ${index} (${of})`));
      return [`create table if not exists ${placed(name)} (${lines.join(', ')}) engine = innodb`];
    }
    return [
      `create table if not exists ${placed(name)} (${lines.join(', ')})`,
      ...named.map(([index, of]) => `create index if not exists ${index} on ${placed(name)} (${of})`),
    ];
  }

  valuesOf(row: Row): SqlScalar[] {
    const members = new Map<string, unknown>(Object.entries(row));
    return this.names.map((column) => {
      const value = members.get(camel(column));
      return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
        ? value
        : null;
    });
  }

  rowOf(row: SqlRow): Row {
    const members = this.names.map((column) => [
      camel(column),
      valueOf(row[column], this.shape.columns[column] ?? 'text'),
    ]);
    return Object.fromEntries(members) as Row;
  }
}

const CAMEL = new Map<string, string>();

function camel(column: string): string {
  let name = CAMEL.get(column);
  if (name === undefined) {
    name = column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    CAMEL.set(column, name);
  }
  return name;
}

/** Client libraries give numbers as text, ids as bytes, and JSON parsed or not. */
function valueOf(value: unknown, kind: Kind): unknown {
  if (value === null || value === undefined) return null;
  switch (kind.replace('?', '')) {
    case 'int':
      return Number(value);
    case 'bool':
      return value === true || value === 1 || value === '1';
    case 'json':
      return typeof value === 'string' ? value : JSON.stringify(value);
    default:
      return textOf(value);
  }
}

/** An id, which is bytes in one of the databases. */
export const textOf = (value: unknown): string =>
  value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : String(value);
