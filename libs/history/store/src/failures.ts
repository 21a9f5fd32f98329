/** Why a commit did not happen, in the words of `commit_retries_total`. */
export type StoreFailureCause = 'conflict' | 'connection' | 'data' | 'deadlock' | 'timeout';

/**
 * A batch that the store rejected. After `connection` and `timeout` it may have been committed: retry it, receipts
 * prevent duplicates. After `data` one of its records is invalid and would fail again. Contains no values of records.
 */
export class StoreFailure extends Error {
  override readonly name = 'StoreFailure';

  constructor(
    readonly reason: StoreFailureCause,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  /** Whether the same batch may be taken later. */
  get transient(): boolean {
    return this.reason !== 'data';
  }
}
