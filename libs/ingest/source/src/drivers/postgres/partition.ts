import { Ledger } from '../../ledger.js';
import type { PostgresSourceOptions } from './options.js';

/** Complete position within a partition: the seal and the row within it. int8 as text. */
export interface Cursor {
  readonly seq: string;
  readonly n: string;
}

/** One partition that this process owns. */
export class OwnedPartition {
  readonly ledger = new Ledger<Cursor>();
  /** Behind the last fetched event. */
  fetched: Cursor;
  /** Whether the wake lock is held, so that writers notify. */
  isAsleep = false;
  /** Whether it is to be released when its events in flight have ended. */
  isLeaving = false;

  constructor(
    readonly number: number,
    stored: Cursor,
  ) {
    this.fetched = stored;
  }

  mayFetch({ maxAhead, idempotencyTtlMs }: PostgresSourceOptions, nowMs: number): boolean {
    const headMs = this.ledger.headFetchedAtMs;
    const isOverdue = headMs !== null && nowMs - headMs > idempotencyTtlMs / 2;
    return !this.isLeaving && !isOverdue && this.ledger.length < maxAhead;
  }
}
