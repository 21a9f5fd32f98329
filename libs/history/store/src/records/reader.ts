import type { RecordStore, Row, RowKey } from '@carillon/records';
import { splitParts } from './chunks.js';
import { decodeHead, decodeSide, type Head, noSide, type Side } from './head.js';
import { HEAD, partitionOf, SIDE, type SortRange } from './keys.js';
import { partSort, type StoredRow } from './draft.js';

/** Keys of one read. */
const KEYS_AT_ONCE = 500;
/** Rows of one range read. */
const ROWS_AT_ONCE = 250;

/** The lowest character that names may contain: a sort followed by it is the next bound behind that sort. */
const NEXT = '\u0001';

/** Both rows of a stream; head null: the stream does not exist. */
export interface StreamRows {
  readonly head: Head | null;
  readonly side: Side;
}

export interface RangeOptions {
  readonly reverse?: boolean;
  readonly limit: number;
  /** Rows of one read, if fewer than usual will probably do. */
  readonly atOnce?: number;
}

/** Reads rows of the partitions of streams, and puts split values together. */
export class StreamReader {
  constructor(readonly records: RecordStore) {}

  /** The rows that exist, by sort. */
  async get(streamKey: string, sorts: readonly string[]): Promise<ReadonlyMap<string, StoredRow>> {
    const partition = partitionOf(streamKey);
    const rows = await this.getAll(sorts.map((sort) => ({ partition, sort })));
    return new Map(rows.map((row) => [row.sort, row]));
  }

  /** The rows that exist, of any number of streams. */
  async getAll(keys: readonly RowKey[]): Promise<StoredRow[]> {
    const batches: Promise<Row[]>[] = [];
    for (let from = 0; from < keys.length; from += KEYS_AT_ONCE)
      batches.push(this.records.get(keys.slice(from, from + KEYS_AT_ONCE)));
    return this.#whole((await Promise.all(batches)).flat());
  }

  /** Rows of a range, at most `limit` of them, in as many reads as it takes. */
  async range(streamKey: string, { from, to }: SortRange, options: RangeOptions): Promise<StoredRow[]> {
    const rows: StoredRow[] = [];
    for await (const row of this.each(streamKey, { from, to }, options)) rows.push(row);
    return rows;
  }

  async *each(
    streamKey: string,
    { from, to }: SortRange,
    { reverse = false, limit, atOnce = ROWS_AT_ONCE }: RangeOptions,
  ): AsyncGenerator<StoredRow> {
    const partition = partitionOf(streamKey);
    for (let left = limit, [low, high] = [from, to]; left > 0 && low < high;) {
      const count = Math.min(left, atOnce, ROWS_AT_ONCE);
      const rows = await this.records.range({ partition, from: low, to: high, reverse, limit: count });
      yield* await this.#whole(rows);
      const last = rows.at(-1);
      if (last === undefined || rows.length < count) return;
      left -= rows.length;
      if (reverse) high = last.sort;
      else low = `${last.sort}${NEXT}`;
    }
  }

  async streamRows(streamKey: string): Promise<StreamRows> {
    return streamRowsOf(await this.get(streamKey, [HEAD, SIDE]));
  }

  /** Returns the existing streams in key order. */
  async heads(streamKeys: readonly string[]): Promise<(StreamRows & { readonly head: Head })[]> {
    const keys = streamKeys.flatMap((key) =>
      [HEAD, SIDE].map((sort) => ({ partition: partitionOf(key), sort })),
    );
    const byPartition = new Map<string, Map<string, StoredRow>>();
    for (const row of await this.getAll(keys)) {
      const rows = byPartition.get(row.partition) ?? new Map<string, StoredRow>();
      byPartition.set(row.partition, rows.set(row.sort, row));
    }
    return streamKeys.flatMap((key) => {
      const { head, side } = streamRowsOf(byPartition.get(partitionOf(key)) ?? new Map());
      return head === null ? [] : [{ head, side }];
    });
  }

  /** A split row whose parts are gone was deleted since it was read. */
  async #whole(rows: readonly Row[]): Promise<StoredRow[]> {
    if (!rows.some(({ value }) => splitParts(value) > 0)) return rows.map((row) => ({ ...row, parts: 0 }));
    return (await Promise.all(rows.map((row) => this.#joined(row)))).filter((row) => row !== null);
  }

  async #joined(row: Row): Promise<StoredRow | null> {
    const count = splitParts(row.value);
    if (count === 0) return { ...row, parts: 0 };
    const keys = Array.from({ length: count }, (_, index) => ({
      partition: row.partition,
      sort: partSort(row.sort, index),
    }));
    const parts = new Map((await this.records.get(keys)).map(({ sort, value }) => [sort, value]));
    if (parts.size < count) return null;
    return { ...row, parts: count, value: keys.map(({ sort }) => parts.get(sort) ?? '').join('') };
  }
}

export function streamRowsOf(rows: ReadonlyMap<string, StoredRow>): StreamRows {
  const [head, side] = [rows.get(HEAD), rows.get(SIDE)];
  const read = head === undefined ? null : decodeHead(head);
  return { head: read, side: side === undefined ? noSide('') : decodeSide(side) };
}
