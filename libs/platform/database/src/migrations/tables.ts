import type { EntitySchemaOptions, MigrationInterface } from 'typeorm';

/**
 * The schema that tables are in, which goes before their names; null: the one that is found without naming it. A name
 * with its schema is right on any connection, also on one that a pooler hands from client to client, which a search
 * path is not.
 */
export type Place = string | null;

/** Named like `HistoryTables1764000000001`: the time at the end is the place in the order. */
export type MigrationClass = new (place: Place) => MigrationInterface;

/**
 * A migration and its effect on processes of an older release, which run beside newer ones during a rollout and again
 * after a rollback.
 * - `baseline`: part of releases from before migrations were classified. The list is closed.
 * - `compatible`: older processes read and write the tables as before, and start on them.
 * - `breaking`: older processes no longer start. `wayBack` describes how to return to them; it is logged
 * when the migration runs.
 */
export type Migration =
  | { readonly kind: 'baseline' | 'compatible'; readonly migration: MigrationClass }
  | { readonly kind: 'breaking'; readonly migration: MigrationClass; readonly wayBack: string };

export const baseline = (migration: MigrationClass): Migration => ({ kind: 'baseline', migration });
export const compatible = (migration: MigrationClass): Migration => ({ kind: 'compatible', migration });
export const breaking = (migration: MigrationClass, wayBack: string): Migration => ({
  kind: 'breaking',
  migration,
  wayBack,
});

/** State of tables before their migrations run. */
export interface Settled {
  readonly place: Place;
  /** False: not created yet, or dropped. */
  readonly areThere: boolean;
}

/** Objects of a schema owned by one package, which move with its tables. */
export interface Owned {
  /** Complete tables by name; the first exists whenever any does. Partitions move with their tables. */
  readonly tables: readonly string[];
  readonly types?: readonly string[];
  /**
   * Names of SQL functions (no parameters) owned by this package. If one is missing, the tables are foreign and are
   * not moved.
   */
  readonly functions?: readonly string[];
}

/** The tables of one room, which its migrations make. */
export interface Tables {
  /** Prefix of its entries in the migration log; unique in a database. No trailing space. */
  readonly name: string;
  readonly owned: Owned;
  /**
   * In order, and immutable once released. The first adopts tables from before the migration log. In MySQL each
   * statement commits by itself, so an interrupted migration must be repeatable.
   */
  readonly migrations: readonly Migration[];
  /** Absent: nothing of them is read or written as entities. */
  readonly entity?: (place: Place) => EntitySchemaOptions<Record<string, unknown>>;
}

/** Returns the prefix under which migrations are recorded that an older process must know. */
export const requiredPrefix = (of: string): string => `${of} `;

/** Returns the prefix under which compatible migrations are recorded; every release ignores unknown ones of these. */
const compatiblePrefix = (of: string): string => `added to ${of} `;

/** Returns the name under which a migration is recorded. */
export const recordOf = (of: string, { kind, migration }: Migration): string =>
  `${kind === 'compatible' ? compatiblePrefix(of) : requiredPrefix(of)}${migration.name}`;

/** Returns whether a recorded name is a migration of these tables. */
export const isRecordOf = (of: string, record: string): boolean =>
  record.startsWith(requiredPrefix(of)) || record.startsWith(compatiblePrefix(of));

/** Qualified name of a table or type in a PostgreSQL statement. */
export const placed = (place: Place, name: string): string =>
  place === null ? `"${name}"` : `"${place}"."${name}"`;
