import {
  type Commit,
  type CommitLimits,
  type RangeQuery,
  type RecordStore,
  RecordsUnavailable,
  type Row,
  type RowKey,
} from '@carillon/records';
import { StoreFailure } from '../failures.js';

/** A record store whose failures are those of a history store. */
export class GuardedRecords implements RecordStore {
  constructor(private readonly records: RecordStore) {}

  get limits(): CommitLimits {
    return this.records.limits;
  }

  connect(): Promise<void> {
    return guarded(() => this.records.connect());
  }

  get(keys: readonly RowKey[]): Promise<Row[]> {
    return keys.length === 0 ? Promise.resolve([]) : guarded(() => this.records.get(keys));
  }

  range(query: RangeQuery): Promise<Row[]> {
    return guarded(() => this.records.range(query));
  }

  commit(commit: Commit): Promise<boolean> {
    return guarded(() => this.records.commit(commit));
  }

  async put(rows: readonly Row[]): Promise<void> {
    if (rows.length > 0) await guarded(() => this.records.put(rows));
  }

  async remove(keys: readonly RowKey[]): Promise<void> {
    if (keys.length > 0) await guarded(() => this.records.remove(keys));
  }

  health(): Promise<void> {
    return guarded(() => this.records.health());
  }

  close(): Promise<void> {
    return this.records.close();
  }
}

async function guarded<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof RecordsUnavailable)
      throw new StoreFailure('connection', 'the history store does not answer', { cause: thrown });
    if (thrown instanceof RangeError) throw new StoreFailure('data', thrown.message, { cause: thrown });
    throw thrown;
  }
}
