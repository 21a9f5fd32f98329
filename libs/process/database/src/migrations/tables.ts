import type { EntitySchemaOptions, MigrationInterface } from 'typeorm';

/**
 * The schema that tables are in, which goes before their names; null: the one that is found without naming it. A name
 * with its schema is right on any connection, also on one that a pooler hands from client to client, which a search
 * path is not.
 */
export type Place = string | null;

/** Named like `HistoryTables1764000000001`: the time at the end is the place in the order. */
export type MigrationClass = new (place: Place) => MigrationInterface;

/** What is known of tables before their migrations run. */
export interface Settled {
  readonly place: Place;
  /** False: there are none yet, or somebody has dropped them. */
  readonly areThere: boolean;
}

/** What of a schema one room owns, and moves with it. */
export interface Owned {
  /** Whole tables, by their names; the first is there whenever any is. Parts go with theirs. */
  readonly tables: readonly string[];
  readonly types?: readonly string[];
  /** Without parameters. Tables that lack one were made by somebody else, and stay where they are. */
  readonly functions?: readonly string[];
}

/** The tables of one room, which its migrations make. */
export interface Tables {
  /** Begins what is recorded of each migration; there is one of each name in a database. No space at the end. */
  readonly name: string;
  readonly owned: Owned;
  /**
   * In order, and never changed once they ran anywhere. The first finds tables of the time before migrations were
   * recorded and takes them over. In MySQL each statement is final by itself, so one that was cut off must be able to
   * run again.
   */
  readonly migrations: readonly MigrationClass[];
  /**
   * Run behind them, in order. What these make, processes of before do without, reading and writing: so one of before
   * that starts, or comes back, while a newer one has already run them does not take the tables for newer than it is.
   */
  readonly additions?: readonly MigrationClass[];
  /** Absent: nothing of them is read or written as entities. */
  readonly entity?: (place: Place) => EntitySchemaOptions<Record<string, unknown>>;
}

/** Under which name migrations of tables are recorded, and additions to them. */
export const recordOf = (of: string): string => `${of} `;
export const additionOf = (of: string): string => `added to ${of} `;

/** The name of a table, or a type, as it stands in a statement of PostgreSQL. */
export const placed = (place: Place, name: string): string =>
  place === null ? `"${name}"` : `"${place}"."${name}"`;
