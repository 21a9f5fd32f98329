import {
  HEADER_BYTES,
  type ItemKind,
  type Items,
  LENGTH_BYTES,
  newItems,
  NULL_LENGTH,
  writeHeader,
} from './binary-arrays.js';

/** A field of a row: how its values travel, and where they come from. */
export interface Column<Row> {
  /** The type in SQL. */
  readonly type: string;
  readonly oid: number;
  /** Bytes of the value; `NULL_LENGTH` for null. */
  size(row: Row): number;
  /** Writes a non-null value of the given size. */
  write(into: Items, at: number, row: Row, size: number): void;
}

export const column = <Row, Value>(kind: ItemKind<Value>, from: (row: Row) => Value | null): Column<Row> => ({
  type: kind.type,
  oid: kind.oid,
  size(row) {
    const value = from(row);
    return value === null ? NULL_LENGTH : kind.size(value);
  },
  write(into, at, row, size) {
    const value = from(row);
    if (value !== null) kind.write(into, at, value, size);
  },
});

/** Bytes of the field count of a row. */
const COUNT_BYTES = 4;
/** The number of the type of a field. */
const OID_BYTES = 4;

/** Type in the header of a non-builtin type: the server uses the type of the statement. */
const AS_STATED = 0;

/**
 * An array of rows of a type of the database's own. The server takes it apart in a third of the time that arrays of each
 * column take: those it makes a table each of, and puts them side by side again.
 */
export function binaryRows<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): Buffer {
  const rowBytes = COUNT_BYTES + columns.length * (OID_BYTES + LENGTH_BYTES);
  const sizes = new Int32Array(rows.length * columns.length);
  let total = HEADER_BYTES + rows.length * (LENGTH_BYTES + rowBytes);
  let place = 0;
  for (const row of rows)
    for (const each of columns) {
      const size = each.size(row);
      sizes[place] = size;
      place += 1;
      if (size !== NULL_LENGTH) total += size;
    }
  const into = newItems(total);
  writeHeader(into.view, AS_STATED, rows.length, false);
  let at = HEADER_BYTES;
  place = 0;
  for (const row of rows) {
    const from = at;
    into.view.setInt32(from + LENGTH_BYTES, columns.length);
    at += LENGTH_BYTES + COUNT_BYTES;
    for (const each of columns) {
      const size = sizes[place] ?? NULL_LENGTH;
      place += 1;
      into.view.setInt32(at, each.oid);
      into.view.setInt32(at + OID_BYTES, size);
      at += OID_BYTES + LENGTH_BYTES;
      if (size === NULL_LENGTH) continue;
      each.write(into, at, row, size);
      at += size;
    }
    into.view.setInt32(from, at - from - LENGTH_BYTES);
  }
  return into.bytes;
}
