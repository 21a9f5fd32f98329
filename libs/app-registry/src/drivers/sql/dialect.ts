import type { Owned, Place, QueryRunner } from '@carillon/database';
import type { ColumnKind } from './columns.js';

/** An index as it stands in the database. */
export interface Index {
  readonly columns: readonly string[];
  readonly unique: boolean;
}

/** What stands in the database under the name of the table. */
export interface FoundTable {
  /** None: there is no such table. */
  readonly columns: ReadonlySet<string>;
  readonly indexes: readonly Index[];
}

type Runner = Pick<QueryRunner, 'query'>;

/** How one database writes what the table of the apps needs. Names are those of the configuration: letters, digits, `_`. */
export interface TableDialect {
  quote(name: string): string;
  table(place: Place, name: string): string;
  /** The type of each kind of column, with the default of the times. */
  readonly types: (runner: Runner) => Promise<Readonly<Record<ColumnKind, string>>>;
  find(runner: Runner, place: Place, table: string): Promise<FoundTable>;
  /** Beyond the columns of a new table: what keeps `updated_at` right when others write. */
  afterCreation(place: Place, table: string): readonly string[];
  /** What of that is left when the table is gone. */
  afterDrop(place: Place, table: string): readonly string[];
  /** What there is beside the table. */
  owned(table: string): Partial<Owned>;
  /** `table`: as it stands in a statement. */
  addIndex(table: string, column: string, unique: boolean): string;
  /** A JSON column as text; `''` when it is longer than so many bytes, null when it is null. */
  jsonText(column: string, maxBytes: number): string;
  /** A time as text that sorts and keeps its microseconds. */
  timeText(expression: string): string;
  /** The time that such a text, of a placeholder, stands for, less so many seconds. */
  time(placeholder: string, lessSeconds: number): string;
  readonly now: string;
}
