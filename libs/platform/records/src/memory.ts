import {
  type Commit,
  type CommitLimits,
  type Condition,
  type RangeQuery,
  type RecordStore,
  type Row,
  type RowKey,
} from './port.js';
import { compareBytes } from './order.js';
import { checkCommit } from './check-commit.js';
import { checkPut, checkRange, distinctKeys } from './check-rows.js';

/** Limits as small as those of the strictest driver (DynamoDB), so that callers meet them in tests. */
const LIMITS: CommitLimits = { rows: 100, bytes: 3_500_000, valueBytes: 380_000 };

/** Rows in this process, for tests of the packages that use a `RecordStore`. */
export class MemoryRecords implements RecordStore {
  readonly limits = LIMITS;
  readonly #partitions = new Map<string, Map<string, Row>>();

  constructor(private readonly nowMs: () => number = Date.now) {}

  async connect(): Promise<void> {}

  async get(keys: readonly RowKey[]): Promise<Row[]> {
    return distinctKeys(keys).flatMap(({ partition, sort }) => this.#row(partition, sort) ?? []);
  }

  async range(query: RangeQuery): Promise<Row[]> {
    checkRange(query);
    const { partition, from, to, reverse, limit } = query;
    const rows = [...(this.#partitions.get(partition)?.values() ?? [])]
      .filter((row) => this.#isVisible(row))
      .filter(
        ({ sort }) =>
          (from === null || compareBytes(sort, from) >= 0) && (to === null || compareBytes(sort, to) < 0),
      )
      .sort((a, b) => compareBytes(a.sort, b.sort));
    return (reverse ? rows.reverse() : rows).slice(0, limit);
  }

  async commit(commit: Commit): Promise<boolean> {
    checkCommit(commit, this.limits);
    const { partition, conditions, puts, deletes } = commit;
    if (!conditions.every((condition) => this.#holds(partition, condition))) return false;
    for (const row of puts) this.#write({ ...row, partition });
    for (const sort of deletes) this.#partitions.get(partition)?.delete(sort);
    return true;
  }

  async put(rows: readonly Row[]): Promise<void> {
    checkPut(rows, this.limits);
    for (const row of rows) this.#write(row);
  }

  async remove(keys: readonly RowKey[]): Promise<void> {
    for (const { partition, sort } of distinctKeys(keys)) this.#partitions.get(partition)?.delete(sort);
  }

  async health(): Promise<void> {}

  async close(): Promise<void> {}

  #holds(partition: string, { sort, version }: Condition): boolean {
    return (this.#row(partition, sort)?.version ?? null) === version;
  }

  #write(row: Row): void {
    const rows = this.#partitions.get(row.partition) ?? new Map<string, Row>();
    rows.set(row.sort, row);
    this.#partitions.set(row.partition, rows);
  }

  #row(partition: string, sort: string): Row | undefined {
    const row = this.#partitions.get(partition)?.get(sort);
    return row !== undefined && this.#isVisible(row) ? row : undefined;
  }

  #isVisible({ expiresAtMs }: Row): boolean {
    return expiresAtMs === null || expiresAtMs > this.nowMs();
  }
}
