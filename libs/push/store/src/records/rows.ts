import { RecordsUnavailable, type Commit, type RecordStore, type Row, type RowKey } from '@carillon/records';
import { byBytes } from '../model/compare.js';
import { PushStoreUnavailable } from '../port/port.js';
import { after } from './keys.js';

/** Keys or rows of one call of the records. */
const ROWS_AT_ONCE = 1000;
/** Longest key of the records, in bytes. */
const MAX_SORT_BYTES = 1000;
/** UTF-8 has at most three bytes for a UTF-16 unit. */
const BYTES_A_UNIT = 3;

/** Bounds of keys in one partition; null: none. `from` is inclusive, `to` is exclusive. */
export interface Span {
  readonly from: string | null;
  readonly to: string | null;
}

export const ALL: Span = { from: null, to: null };

/** The records behind the store, with the errors of its port and without bounds on the number of keys. */
export class Rows {
  constructor(readonly records: RecordStore) {}

  async get(keys: readonly RowKey[]): Promise<Row[]> {
    const found: Row[] = [];
    for (let from = 0; from < keys.length; from += ROWS_AT_ONCE) {
      const some = keys.slice(from, from + ROWS_AT_ONCE);
      found.push(...(await this.#asked(() => this.records.get(some))));
    }
    return found;
  }

  async one(partition: string, sort: string): Promise<Row | null> {
    const [row = null] = await this.get([{ partition, sort }]);
    return row;
  }

  /** The rows at the keys, in their order; null: it does not exist. */
  async all(keys: readonly RowKey[]): Promise<(Row | null)[]> {
    const found = new Map<string, Map<string, Row>>();
    for (const row of await this.get(keys)) {
      const rows = found.get(row.partition) ?? new Map<string, Row>();
      found.set(row.partition, rows.set(row.sort, row));
    }
    return keys.map(({ partition, sort }) => found.get(partition)?.get(sort) ?? null);
  }

  range(partition: string, { from, to }: Span, limit: number): Promise<Row[]> {
    return this.#asked(() => this.records.range({ partition, from, to, reverse: false, limit }));
  }

  /** All rows of a span, page by page. */
  async *pages(partition: string, span: Span, limit: number): AsyncGenerator<readonly Row[]> {
    let { from } = span;
    for (;;) {
      const page = await this.range(partition, { from, to: span.to }, limit);
      if (page.length > 0) yield page;
      const last = page.at(-1);
      if (last === undefined || page.length < limit) return;
      from = after(last.sort);
    }
  }

  commit(commit: Commit): Promise<boolean> {
    for (const { sort, value } of commit.puts) {
      checkSort(sort);
      this.#checkValue(sort, value);
    }
    return this.#asked(() => this.records.commit(commit));
  }

  /** Writes rows; of several with one key, the last counts. */
  async put(given: readonly Row[]): Promise<void> {
    const rows = [...new Map(given.map((row) => [JSON.stringify([row.partition, row.sort]), row])).values()];
    for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
      const some = rows.slice(from, from + ROWS_AT_ONCE);
      for (const { sort } of some) checkSort(sort);
      await this.#asked(() => this.records.put(some));
    }
  }

  async remove(keys: readonly RowKey[]): Promise<void> {
    for (let from = 0; from < keys.length; from += ROWS_AT_ONCE) {
      const some = keys.slice(from, from + ROWS_AT_ONCE);
      await this.#asked(() => this.records.remove(some));
    }
  }

  /** Runs a call of the records and gives its failure the error of the port. */
  asked<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#asked(work);
  }

  #checkValue(sort: string, value: string): void {
    const { valueBytes } = this.records.limits;
    if (value.length * BYTES_A_UNIT <= valueBytes) return;
    const bytes = Buffer.byteLength(value);
    if (bytes <= valueBytes) return;
    throw new RangeError(
      `a push record of ${bytes} bytes (${printable(sort)}) exceeds the ${valueBytes} bytes that a row of this storage driver holds; send less data`,
    );
  }

  async #asked<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof RecordsUnavailable)) throw error;
      throw new PushStoreUnavailable('the push store does not answer', { cause: error });
    }
  }
}

/** Rows of several partitions, merged in the order of their sort keys, page by page. */
export async function* mergedPages(
  rows: Rows,
  partitions: readonly string[],
  span: Span,
  pageSize: number,
): AsyncGenerator<readonly Row[]> {
  let cursors = partitions.map((partition) => new Cursor(partition, span.from));
  while (cursors.length > 0) {
    await Promise.all(cursors.map((cursor) => cursor.fill(rows, span.to, pageSize)));
    const open = cursors.filter(({ isDone }) => !isDone).map(({ last }) => last);
    const frontier = open.toSorted(byBytes)[0] ?? null;
    const ready = cursors.flatMap((cursor) => cursor.take(frontier));
    if (partitions.length > 1) ready.sort((one, other) => byBytes(one.sort, other.sort));
    if (ready.length > 0) yield ready;
    cursors = cursors.filter(({ isEmpty }) => !isEmpty);
  }
}

/** The position in one of the merged partitions, and the rows that were read ahead. */
class Cursor {
  #held: Row[] = [];
  isDone = false;

  constructor(
    private readonly partition: string,
    private from: string | null,
  ) {}

  get last(): string {
    return this.#held.at(-1)?.sort ?? '';
  }

  get isEmpty(): boolean {
    return this.isDone && this.#held.length === 0;
  }

  async fill(rows: Rows, to: string | null, limit: number): Promise<void> {
    if (this.isDone || this.#held.length > 0) return;
    this.#held = await rows.range(this.partition, { from: this.from, to }, limit);
    this.isDone = this.#held.length < limit;
    if (this.#held.length > 0) this.from = after(this.last);
  }

  /** Rows up to the frontier; null: all. */
  take(frontier: string | null): Row[] {
    if (frontier === null) return this.#held.splice(0);
    const end = this.#held.findIndex(({ sort }) => byBytes(sort, frontier) > 0);
    return this.#held.splice(0, end === -1 ? this.#held.length : end);
  }
}

/** Throws a `RangeError` that names the key, its size and the limit. */
export function checkSort(sort: string): void {
  if (sort.length * BYTES_A_UNIT <= MAX_SORT_BYTES) return;
  const bytes = Buffer.byteLength(sort);
  if (bytes <= MAX_SORT_BYTES) return;
  throw new RangeError(
    `a push record has a key of ${bytes} bytes (${printable(sort)}); the limit of this storage driver is ${MAX_SORT_BYTES}: use shorter ids`,
  );
}

const printable = (sort: string): string => JSON.stringify(sort.slice(0, 40));
