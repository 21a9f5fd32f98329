import { DatabaseRejected, DatabaseUnavailable } from '@carillon/database';
import { StoreFailure, type StoreFailureCause } from '../failures.js';

/** Deadlock codes of PostgreSQL and MySQL. */
const DEADLOCKS: ReadonlySet<string> = new Set(['40P01', '1213']);
/** A row of a batch was not written (`wholly`). */
const NOT_WRITTEN = '22012';
/** No part of the table for the row. */
export const NO_PARTITION = '23514';

const UNAVAILABLE: Readonly<Record<DatabaseUnavailable['reason'], StoreFailureCause>> = {
  busy: 'connection',
  closed: 'connection',
  lost: 'connection',
  refused: 'connection',
  timeout: 'timeout',
};

/** Converts a database error into a `StoreFailure`; returns other errors unchanged. */
function storeFailure(thrown: unknown): unknown {
  if (thrown instanceof DatabaseUnavailable)
    return new StoreFailure(UNAVAILABLE[thrown.reason], thrown.message, { cause: thrown });
  if (!(thrown instanceof DatabaseRejected)) return thrown;
  return new StoreFailure(reasonOf(thrown), thrown.message, { cause: thrown });
}

function reasonOf({ reason, code }: DatabaseRejected): StoreFailureCause {
  if (DEADLOCKS.has(code)) return 'deadlock';
  return reason === 'conflict' || code === NO_PARTITION || code === NOT_WRITTEN ? 'conflict' : 'data';
}

/** Runs a database operation and converts its errors into `StoreFailure`. */
export async function asStoreFailure<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (thrown) {
    throw storeFailure(thrown);
  }
}
