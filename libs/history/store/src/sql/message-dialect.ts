import type { SqlValue } from '@carillon/database';

/** Key of a stream and the key of a row within it. */
export type Place = readonly [streamKey: string, ...within: string[]];

/** Comparison of a key within a stream: as text, as a number, or as the bytes of its hex digits. */
export type PlaceKind = 'bytes' | 'number' | 'text';

/** Versions of a message; above the first, up to the last. */
export interface Span {
  readonly streamKey: string;
  readonly generation: number;
  readonly messageSerial: string;
  readonly after: string;
  readonly upTo: string;
}

/** Differences between the two databases. */
export interface MessageDialect {
  /** Returns the SQL behind `in` for row keys, with one kind per value after the stream key. */
  readonly places: (values: Values, kinds: readonly PlaceKind[], places: readonly Place[]) => string;
  /** Returns the SQL behind `from` for the records (alias `c`) of message versions; ends with a condition. */
  readonly spans: (values: Values, records: string, spans: readonly Span[]) => string;
  /** Whether the statement text is independent of the number of keys and spans. */
  readonly again: boolean;
}

/** Collects values and returns their placeholders. */
export class Values {
  readonly all: SqlValue[] = [];

  add(value: SqlValue): string {
    return `$${this.all.push(value)}`;
  }
}
