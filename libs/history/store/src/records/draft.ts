import type { Commit, Condition, Row } from '@carillon/records';
import { chunksOf, splitMark } from './chunks.js';
import { KIND, partitionOf } from './keys.js';

/** Digits of the generation prefix `g0000000001/`. */
const PREFIX_LENGTH = 12;
const PART_DIGITS = 4;

/** Sort key of a part of a split value: beside the rows of its generation, in the order of its owner rows. */
export const partSort = (sort: string, index: number): string =>
  `${sort.slice(0, PREFIX_LENGTH)}${KIND.part}/${sort.slice(PREFIX_LENGTH)}/${String(index).padStart(PART_DIGITS, '0')}`;

/** A row as it was read, with the number of parts that its value was put together from; 0: it was not split. */
export interface StoredRow extends Row {
  readonly parts: number;
}

/** Rows that were read before a commit is planned. */
export interface ReadRows {
  /** Sorts that were read, of rows that exist and of others. */
  readonly asked: ReadonlySet<string>;
  readonly rows: ReadonlyMap<string, StoredRow>;
}

const READ_NOTHING: ReadRows = { asked: new Set(), rows: new Map() };

/**
 * Rows that one commit writes and deletes. A row that was read is replaced only if it is still as it was read: a read of
 * several rows may see a part of a concurrent commit, so the version of the head alone does not prove that.
 */
export class Draft {
  readonly #puts = new Map<string, Omit<Row, 'partition'>>();
  readonly #deletes = new Set<string>();
  readonly #conditions = new Map<string, Condition>();

  constructor(
    private readonly streamKey: string,
    private readonly valueBytes: number,
    private readonly read: ReadRows = READ_NOTHING,
  ) {}

  /** Splits a value that exceeds the value limit. */
  put(
    sort: string,
    value: string,
    how: { readonly version?: number; readonly expiresAtMs?: number | null } = {},
  ): void {
    const before = this.read.rows.get(sort)?.version ?? null;
    const { version = (before ?? 0) + 1, expiresAtMs = null } = how;
    if (this.read.asked.has(sort)) this.require(sort, before);
    const chunks = chunksOf(value, this.valueBytes);
    if (chunks.length === 1) this.#set(sort, { sort, version, value, expiresAtMs });
    else {
      this.#set(sort, { sort, version, value: splitMark(chunks.length), expiresAtMs });
      chunks.forEach((chunk, index) => {
        const part = partSort(sort, index);
        this.#set(part, { sort: part, version, value: chunk, expiresAtMs });
      });
    }
  }

  /** Puts a text into numbered chunk rows; returns their number. */
  putChunks(sortOfChunk: (index: number) => string, text: string): number {
    const chunks = chunksOf(text, this.valueBytes);
    chunks.forEach((chunk, index) => this.put(sortOfChunk(index), chunk));
    return chunks.length;
  }

  delete(sort: string): void {
    if (!this.#puts.has(sort)) this.#deletes.add(sort);
  }

  /** Deletes a row as it was stored, with the parts of a split value. */
  deleteStored({ sort, parts }: Pick<StoredRow, 'parts' | 'sort'>): void {
    this.delete(sort);
    for (let index = 0; index < parts; index += 1) this.delete(partSort(sort, index));
  }

  /** Requires a version of a row, or its absence. */
  require(sort: string, version: number | null): void {
    this.#conditions.set(sort, { sort, version });
  }

  get rows(): number {
    return new Set([...this.#puts.keys(), ...this.#deletes, ...this.#conditions.keys()]).size;
  }

  get isEmpty(): boolean {
    return this.#puts.size + this.#deletes.size === 0;
  }

  get commit(): Commit {
    return {
      partition: partitionOf(this.streamKey),
      conditions: [...this.#conditions.values()],
      puts: [...this.#puts.values()],
      deletes: [...this.#deletes],
    };
  }

  #set(sort: string, row: Omit<Row, 'partition'>): void {
    this.#deletes.delete(sort);
    this.#puts.set(sort, row);
  }
}
