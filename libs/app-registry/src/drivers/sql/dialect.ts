import type { Owned, Place, QueryRunner } from '@carillon/database';
import type { ColumnKind } from './columns.js';

/** An existing index of the table. */
export interface Index {
  readonly columns: readonly string[];
  readonly unique: boolean;
}

/** The existing database objects under the name of the table. */
export interface FoundTable {
  /** None: there is no such table. */
  readonly columns: ReadonlySet<string>;
  readonly indexes: readonly Index[];
}

type Runner = Pick<QueryRunner, 'query'>;

/** The SQL of one database for the apps table. Names come from the configuration: letters, digits, `_`. */
export interface TableDialect {
  quote(name: string): string;
  table(place: Place, name: string): string;
  /** The type of each kind of column, with the default of the times. */
  readonly types: (runner: Runner) => Promise<Readonly<Record<ColumnKind, string>>>;
  find(runner: Runner, place: Place, table: string): Promise<FoundTable>;
  /** Statements after the creation of a table that keep `updated_at` correct when other programs write. */
  afterCreation(place: Place, table: string): readonly string[];
  /** Statements that drop those objects after the table was dropped. */
  afterDrop(place: Place, table: string): readonly string[];
  /** The database objects besides the table. */
  owned(table: string): Partial<Owned>;
  /** `table`: the quoted name. */
  addIndex(table: string, column: string, unique: boolean): string;
  /** A JSON column as text; `''` if it is longer than `maxBytes`, null if it is null. */
  jsonText(column: string, maxBytes: number): string;
  /** A time as text that sorts and keeps its microseconds. */
  timeText(expression: string): string;
  /** The time of such a text in a placeholder, minus a number of seconds. */
  time(placeholder: string, lessSeconds: number): string;
  readonly now: string;
}
