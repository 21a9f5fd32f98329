import {
  type Database,
  DatabaseRejected,
  DatabaseUnavailable,
  type Place,
  placed,
  type SqlDialect,
  type SqlScalar,
  type SqlSession,
  type SqlValue,
} from '@carillon/database';
import { PushStoreUnavailable } from '../port/port.js';
import { TABLES_NAME } from './schema.js';
import type { Table } from './table.js';

/** Tries of one step that others are in the way of. */
const MAX_TRIES = 8;
const IN_ORDER = ['seqscan', 'bitmapscan', 'sort'].map((way) => `set local enable_${way} = off`).join('; ');

/** Rows of one statement. */
export const ROWS_AT_ONCE = 500;

/** A placeholder, or the name of a table: all of them begin alike, and no column does. */
const WORDS = /\?|\bpush_\w+/g;

/** Statements with `?` and with plain names of tables, in the words of whichever database it is. */
export class Statements {
  constructor(
    private readonly session: SqlSession,
    readonly dialect: SqlDialect,
    private readonly place: () => Place,
  ) {}

  async rows<Row extends object>(
    table: Table<Row>,
    rest: string,
    values: readonly SqlScalar[],
  ): Promise<Row[]> {
    const { rows } = await this.run(`select ${table.list} from ${table.name} ${rest}`, values);
    return rows.map((row) => table.rowOf(row));
  }

  async row<Row extends object>(
    table: Table<Row>,
    rest: string,
    values: readonly SqlScalar[],
  ): Promise<Row | null> {
    const [row = null] = await this.rows(table, rest, values);
    return row;
  }

  /** Adds rows and keeps those whose key exists; resolves with the number of new rows. */
  async add<Row extends object>(table: Table<Row>, rows: readonly Row[]): Promise<number> {
    let added = 0;
    for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
      const values = rows.slice(from, from + ROWS_AT_ONCE).map((row) => table.valuesOf(row));
      added += await (this.dialect === 'mysql'
        ? this.#addListed(table, values)
        : this.#addUnnested(table, values));
    }
    return added;
  }

  async #addListed<Row extends object>(
    table: Table<Row>,
    rows: readonly (readonly SqlScalar[])[],
  ): Promise<number> {
    const values = groups(rows.length, table.names.length);
    const text = `insert ignore into ${table.name} (${table.list}) values ${values}`;
    return (await this.run(text, rows.flat())).changed;
  }

  /** An array a column: the text is the same for however many rows, and the server reads a dozen values instead of thousands. */
  async #addUnnested<Row extends object>(
    table: Table<Row>,
    rows: readonly (readonly SqlScalar[])[],
  ): Promise<number> {
    const text = `insert into ${table.name} (${table.list}) select ${table.taken} from unnest(${table.arrays})
      as given(${table.list}) on conflict do nothing`;
    return (await this.run(text, columnsOf(table, rows))).changed;
  }

  /** Writes a row in place of the one of its key. `keep`: columns that stay as they were. */
  async put<Row extends object>(table: Table<Row>, row: Row, keep: readonly string[] = []): Promise<void> {
    const { key } = table.shape;
    const changing = table.names.filter((name) => !key.includes(name) && !keep.includes(name));
    const clause =
      this.dialect === 'mysql'
        ? `on duplicate key update ${changing.map((name) => `${name} = values(${name})`).join(', ')}`
        : `on conflict (${key.join(', ')}) do update set ${changing.map((name) => `${name} = excluded.${name}`).join(', ')}`;
    await this.run(
      `insert into ${table.name} (${table.list}) values ${groups(1, table.names.length)} ${clause}`,
      table.valuesOf(row),
    );
  }

  /** Writes rows in place of those of their keys, only the given columns where there is one. At most `ROWS_AT_ONCE` rows a statement. */
  async putAll<Row extends object>(
    table: Table<Row>,
    rows: readonly Row[],
    columns: readonly string[],
  ): Promise<void> {
    for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
      const values = rows.slice(from, from + ROWS_AT_ONCE).map((row) => table.valuesOf(row));
      const { name, list } = table;
      if (this.dialect === 'mysql') {
        const clause = columns.map((column) => `${column} = values(${column})`).join(', ');
        const groupsOfRows = groups(values.length, table.names.length);
        await this.run(
          `insert into ${name} (${list}) values ${groupsOfRows} on duplicate key update ${clause}`,
          values.flat(),
        );
      } else {
        const clause = columns.map((column) => `${column} = excluded.${column}`).join(', ');
        const text = `insert into ${name} (${list}) select ${table.taken} from unnest(${table.arrays}) as given(${list})
          on conflict (${table.shape.key.join(', ')}) do update set ${clause}`;
        await this.run(text, columnsOf(table, values));
      }
    }
  }

  async run(sql: string, values: readonly SqlValue[] = []) {
    return this.session.query(this.dialect === 'mysql' ? sql : this.#numbered(sql), values);
  }

  #numbered(sql: string): string {
    const place = this.place();
    let number = 0;
    return sql.replaceAll(WORDS, (word) => (word === '?' ? `$${(number += 1)}` : placed(place, word)));
  }

  /**
   * Deletes a limited number of rows by physical location: a join by key would read the whole table for each batch. A
   * concurrently changed row may remain.
   */
  async removeSome(
    table: Table<never>,
    where: string,
    values: readonly SqlScalar[],
    limit: number,
  ): Promise<number> {
    const { name } = table;
    const sql =
      this.dialect === 'mysql'
        ? `delete from ${name} where ${where} limit ${limit}`
        : `delete from ${name} where ctid = any(array(select ctid from ${name} where ${where} limit ${limit}))`;
    const { changed } = await this.run(sql, values);
    return changed;
  }
}

/** Kinds of steps in metrics. */
export const COMPONENTS = ['statement', 'transaction'] as const;

export type Component = (typeof COMPONENTS)[number];

/** Receives retries of conflicting steps. */
export interface StoreObserver {
  repeated(component: Component): void;
  /** It was repeated so often that its caller has to see to it. */
  givenUp(component: Component): void;
}

export const UNOBSERVED: StoreObserver = { repeated: () => undefined, givenUp: () => undefined };

/** The database behind the store: one step a call, repeated while others are in its way. */
export class Sql {
  readonly dialect: SqlDialect;
  readonly direct: Statements;

  readonly #place = (): Place => this.database.place(TABLES_NAME);

  constructor(
    readonly database: Database,
    private readonly observer: StoreObserver = UNOBSERVED,
  ) {
    this.dialect = database.dialect;
    this.direct = new Statements(database, database.dialect, this.#place);
  }

  async now<Result>(work: (statements: Statements) => Promise<Result>): Promise<Result> {
    return this.#tried('statement', () => work(this.direct));
  }

  async step<Result>(work: (statements: Statements) => Promise<Result>, setup?: string): Promise<Result> {
    return this.#tried('transaction', () =>
      this.database.transaction((session) => work(new Statements(session, this.dialect, this.#place)), setup),
    );
  }

  /** For `changeRowsOfKeys`, which is one statement in PostgreSQL. */
  changed<Result>(work: (statements: Statements) => Promise<Result>): Promise<Result> {
    return this.dialect === 'mysql' ? this.step(work) : this.now(work);
  }

  /**
   * Like `step`, for a read that follows an index in its order and stops at a limit. PostgreSQL would rather read and sort
   * everything as long as it has not analysed the table.
   */
  inOrder<Result>(work: (statements: Statements) => Promise<Result>): Promise<Result> {
    return this.dialect === 'mysql' ? this.now(work) : this.step(work, IN_ORDER);
  }

  async #tried<Result>(component: Component, work: () => Promise<Result>): Promise<Result> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await work();
      } catch (error) {
        if (error instanceof DatabaseUnavailable) {
          throw new PushStoreUnavailable('the push store cannot be asked', { cause: error });
        }
        const inTheWay = error instanceof DatabaseRejected && ['conflict', 'unique'].includes(error.reason);
        if (!inTheWay) throw error;
        if (tries >= MAX_TRIES) {
          this.observer.givenUp(component);
          throw error;
        }
        this.observer.repeated(component);
      }
    }
  }
}

/** An array a column. */
const columnsOf = (
  { names }: Pick<Table<never>, 'names'>,
  rows: readonly (readonly SqlScalar[])[],
): SqlScalar[][] => names.map((_, index) => rows.map((row) => row[index] ?? null));

/** `(?, ?), (?, ?)`. */
function groups(rows: number, columns: number): string {
  const group = `(${places(columns)})`;
  return Array.from({ length: rows }, () => group).join(', ');
}

/** `?, ?`. */
export const places = (count: number): string => Array.from({ length: count }, () => '?').join(', ');
