import { FOREVER_MS } from '../model/calendar.js';

/**
 * Binary encoding of the items of an array parameter. Nothing is quoted or parsed: as text, quoting and parsing a
 * batch costs both sides more than storing it.
 */
export interface ItemKind<Value> {
  /** The type in SQL. */
  readonly type: string;
  /** The number of the type, which the array carries. */
  readonly oid: number;
  /** Bytes of an item. */
  size(value: Value): number;
  write(into: Items, at: number, value: Value, size: number): void;
}

/** The bytes of an array being written. */
export interface Items {
  readonly bytes: Buffer;
  readonly view: DataView;
}

/** Nothing is written yet. */
export function newItems(size: number): Items {
  const bytes = Buffer.allocUnsafe(size);
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length) };
}

const DAY_MS = 86_400_000;
/** The first day of PostgreSQL's calendar. */
const FIRST_DAY = Date.UTC(2000, 0, 1) / DAY_MS;
const LAST_DAY = Date.UTC(9999, 11, 31) / DAY_MS;
const HIGH = 2 ** 32;

function writeWhole(view: DataView, at: number, value: number): void {
  const high = Math.floor(value / HIGH);
  view.setInt32(at, high);
  view.setUint32(at + 4, value - high * HIGH);
}

function writeUtf8({ bytes }: Items, at: number, value: string, size: number): void {
  // As many bytes as characters: one each, which is written several times as fast.
  bytes.write(value, at, size, size === value.length ? 'latin1' : 'utf8');
}

/** Values of hexadecimal digits by character code. */
const DIGITS = new Uint8Array(128);
for (let digit = 0; digit < 16; digit += 1) {
  const text = digit.toString(16);
  DIGITS[text.charCodeAt(0)] = digit;
  DIGITS[text.toUpperCase().charCodeAt(0)] = digit;
}

const byteAt = (value: string, place: number): number =>
  ((DIGITS[value.charCodeAt(place)] ?? 0) << 4) | (DIGITS[value.charCodeAt(place + 1)] ?? 0);

/** Offsets of the bytes of a UUID in its text. */
const UUID_PLACES = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34] as const;

const utf8Size = (value: string): number => Buffer.byteLength(value, 'utf8');

/** Whole numbers that a double holds exactly. */
export const BIGINT: ItemKind<number> = {
  type: 'bigint',
  oid: 20,
  size: () => 8,
  write: ({ view }, at, value) => writeWhole(view, at, value),
};
/** Whole numbers of 64 bits, as digits. */
export const KEY: ItemKind<string> = {
  type: 'bigint',
  oid: 20,
  size: () => 8,
  write: ({ view }, at, value) => view.setBigInt64(at, BigInt(value)),
};
/** Moments; `FOREVER_MS` is stored as the highest there is. */
export const MOMENT: ItemKind<number> = {
  type: 'bigint',
  oid: 20,
  size: () => 8,
  write({ view }, at, value) {
    if (value < FOREVER_MS) writeWhole(view, at, value);
    else view.setBigInt64(at, 0x7fff_ffff_ffff_ffffn);
  },
};
export const INT: ItemKind<number> = {
  type: 'int',
  oid: 23,
  size: () => 4,
  write: ({ view }, at, value) => view.setInt32(at, value),
};
export const SMALLINT: ItemKind<number> = {
  type: 'smallint',
  oid: 21,
  size: () => 2,
  write: ({ view }, at, value) => view.setInt16(at, value),
};
export const BOOLEAN: ItemKind<boolean> = {
  type: 'boolean',
  oid: 16,
  size: () => 1,
  write: ({ view }, at, value) => view.setUint8(at, value ? 1 : 0),
};
export const TEXT: ItemKind<string> = { type: 'text', oid: 25, size: utf8Size, write: writeUtf8 };
/** A text that is stored as its bytes. */
export const UTF8: ItemKind<string> = { type: 'bytea', oid: 17, size: utf8Size, write: writeUtf8 };
/** Bytes as hexadecimal digits. */
export const HEX: ItemKind<string> = {
  type: 'bytea',
  oid: 17,
  size: (value) => value.length >> 1,
  write({ bytes }, at, value, size) {
    for (let index = 0; index < size; index += 1) bytes[at + index] = byteAt(value, index * 2);
  },
};
export const UUID: ItemKind<string> = {
  type: 'uuid',
  oid: 2950,
  size: () => 16,
  write({ bytes }, at, value) {
    let to = at;
    for (const place of UUID_PLACES) {
      bytes[to] = byteAt(value, place);
      to += 1;
    }
  },
};
/** The number of a transaction, as text. */
export const XID: ItemKind<string> = {
  type: 'xid',
  oid: 28,
  size: () => 4,
  write: ({ view }, at, value) => view.setUint32(at, Number(value)),
};
/** A text that is JSON. */
export const JSONB: ItemKind<string> = {
  type: 'jsonb',
  oid: 3802,
  size: (value) => utf8Size(value) + 1,
  write(into, at, value, size) {
    // The version of the form.
    into.view.setUint8(at, 1);
    writeUtf8(into, at + 1, value, size - 1);
  },
};
/** The day, in UTC, of a moment. */
export const DAY: ItemKind<number> = {
  type: 'date',
  oid: 1082,
  size: () => 4,
  write: ({ view }, at, value) =>
    view.setInt32(at, Math.min(Math.floor(value / DAY_MS), LAST_DAY) - FIRST_DAY),
};

export const HEADER_BYTES = 20;
export const LENGTH_BYTES = 4;
/** Length that stands for null. */
export const NULL_LENGTH = -1;

/**
 * Encodes a one-dimensional array. Invalid items make an array that the server rejects or misreads. Each value is
 * read twice, which costs less than storing all.
 */
export function binaryArray<Row, Value>(
  kind: ItemKind<Value>,
  rows: readonly Row[],
  from: (row: Row) => Value | null,
): Buffer {
  let [total, hasNull] = [HEADER_BYTES, false];
  for (const row of rows) {
    const value = from(row);
    total += LENGTH_BYTES + (value === null ? 0 : kind.size(value));
    hasNull ||= value === null;
  }
  const into = newItems(total);
  writeHeader(into.view, kind.oid, rows.length, hasNull);
  let at = HEADER_BYTES;
  for (const row of rows) {
    const value = from(row);
    const size = value === null ? NULL_LENGTH : kind.size(value);
    into.view.setInt32(at, size);
    at += LENGTH_BYTES;
    if (value === null) continue;
    kind.write(into, at, value, size);
    at += size;
  }
  return into.bytes;
}

export function writeHeader(view: DataView, oid: number, length: number, hasNull: boolean): void {
  view.setInt32(0, 1);
  view.setInt32(4, hasNull ? 1 : 0);
  view.setInt32(8, oid);
  view.setInt32(12, length);
  view.setInt32(16, 1);
}

/** Items as they are. */
export const arrayOf = <Value>(kind: ItemKind<Value>, values: readonly Value[]): Buffer =>
  binaryArray(kind, values, (value) => value);
