import type { SqlValue } from '@carillon/database';

/** The key of a stream, and what is asked for within it. */
export type Place = readonly [streamKey: string, ...within: string[]];

/** How what is asked for within a stream is compared: as it is, or as a number or the bytes whose digits it is. */
export type PlaceKind = 'bytes' | 'number' | 'text';

/** Versions of a message; above the first, up to the last. */
export interface Span {
  readonly streamKey: string;
  readonly generation: number;
  readonly messageSerial: string;
  readonly after: string;
  readonly upTo: string;
}

/** How the two databases differ here. */
export interface MessageDialect {
  /** What stands behind `in` for places; of one kind for each value behind the key of the stream. */
  readonly places: (values: Values, kinds: readonly PlaceKind[], places: readonly Place[]) => string;
  /** What stands behind `from` for the records, as `c`, of versions of messages; ends in a condition. */
  readonly spans: (values: Values, records: string, spans: readonly Span[]) => string;
  /** Whether the text of a statement stays the same, however many places or spans there are. */
  readonly again: boolean;
}

/** Values with the places where they go. */
export class Values {
  readonly all: SqlValue[] = [];

  add(value: SqlValue): string {
    return `$${this.all.push(value)}`;
  }
}
