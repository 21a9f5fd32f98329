/**
 * Members of a table that this version does not know. They are ignored and written back unchanged, so that an older
 * node does not erase members stored by a newer one.
 */
export type Extra = Readonly<Record<string, unknown>>;

/** The `extra` of a table without unknown members. */
export const NO_EXTRA: Extra = Object.freeze({});

/** Any table of the record. */
export interface Table {
  readonly extra: Extra;
}
