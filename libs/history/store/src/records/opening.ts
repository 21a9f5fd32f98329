import type { Commit, CommitLimits, RangeQuery, RecordStore, Row, RowKey } from '@carillon/records';

/** Limits that every driver has at least, known before one is opened. */
const ASSUMED: CommitLimits = { rows: 100, bytes: 3_500_000, valueBytes: 380_000 };

/** A record store whose driver is loaded by `connect`, or by the first use. */
export class OpeningRecords implements RecordStore {
  readonly limits = ASSUMED;
  #opened: Promise<RecordStore> | null = null;

  constructor(private readonly open: () => Promise<RecordStore>) {}

  async connect(): Promise<void> {
    await (await this.#records()).connect();
  }

  async get(keys: readonly RowKey[]): Promise<Row[]> {
    return (await this.#records()).get(keys);
  }

  async range(query: RangeQuery): Promise<Row[]> {
    return (await this.#records()).range(query);
  }

  async commit(commit: Commit): Promise<boolean> {
    return (await this.#records()).commit(commit);
  }

  async put(rows: readonly Row[]): Promise<void> {
    await (await this.#records()).put(rows);
  }

  async remove(keys: readonly RowKey[]): Promise<void> {
    await (await this.#records()).remove(keys);
  }

  async health(): Promise<void> {
    await (await this.#records()).health();
  }

  async close(): Promise<void> {
    const opened = this.#opened;
    if (opened !== null) await opened.then((records) => records.close()).catch(() => {});
  }

  #records(): Promise<RecordStore> {
    this.#opened ??= this.#open().catch((thrown: unknown) => {
      this.#opened = null;
      throw thrown;
    });
    return this.#opened;
  }

  async #open(): Promise<RecordStore> {
    const records = await this.open();
    const { rows, bytes, valueBytes } = records.limits;
    if (rows < ASSUMED.rows || bytes < ASSUMED.bytes || valueBytes < ASSUMED.valueBytes)
      throw new Error(
        `a records driver must take commits of ${ASSUMED.rows} rows and ${ASSUMED.bytes} bytes with values of ${ASSUMED.valueBytes}`,
      );
    return records;
  }
}

/** The largest payload whose record, data and index rows fit into one commit together. */
export const MAX_PAYLOAD_BYTES = Math.floor((ASSUMED.bytes - 256 * 1024) / 2);
