import { byColumns } from '../model/compare.js';

type Key = readonly (string | number)[];

const nameOf = (key: Key): string => JSON.stringify(key);

/** Rows by a key of several columns. */
export class Rows<Row> {
  readonly #rows = new Map<string, Row>();

  constructor(private readonly keyOf: (row: Row) => Key) {}

  get size(): number {
    return this.#rows.size;
  }

  get(...key: Key): Row | null {
    return this.#rows.get(nameOf(key)) ?? null;
  }

  /** Returns false, and keeps the existing row, if the key exists. */
  add(row: Row): boolean {
    const name = nameOf(this.keyOf(row));
    if (this.#rows.has(name)) return false;
    this.#rows.set(name, row);
    return true;
  }

  put(row: Row): void {
    this.#rows.set(nameOf(this.keyOf(row)), row);
  }

  remove(row: Row): boolean {
    return this.#rows.delete(nameOf(this.keyOf(row)));
  }

  /** In the order they came. */
  values(): MapIterator<Row> {
    return this.#rows.values();
  }

  /** Returns at most `limit` matching rows. */
  filter(matches: (row: Row) => boolean, limit = Infinity): Row[] {
    const found: Row[] = [];
    for (const row of this.#rows.values()) {
      if (found.length >= limit) break;
      if (matches(row)) found.push(row);
    }
    return found;
  }

  /** Removes at most `limit` matching rows. */
  removeWhere(matches: (row: Row) => boolean, limit = Infinity): Row[] {
    const gone = this.filter(matches, limit);
    for (const row of gone) this.remove(row);
    return gone;
  }

  /** Returns matching rows ordered by `by`, after `after`. */
  page(matches: (row: Row) => boolean, by: (row: Row) => Key, after: Key | null, limit: number): Row[] {
    return this.filter((row) => matches(row) && (after === null || byColumns(by(row), after) > 0))
      .sort((one, other) => byColumns(by(one), by(other)))
      .slice(0, limit);
  }
}
