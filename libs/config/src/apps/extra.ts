/**
 * Members of a table that this version does not know. They are ignored at use and written back unchanged, so that
 * an older node does not erase what a newer one stored.
 */
export type Extra = Readonly<Record<string, unknown>>;

/** The `extra` of a table without unknown members. */
export const NO_EXTRA: Extra = Object.freeze({});

/** Any table of the record. */
export interface Table {
  readonly extra: Extra;
}
