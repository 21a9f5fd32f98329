/** Why a commit did not happen, in the words of `commit_retries_total`. */
export type StoreFailureCause = 'conflict' | 'connection' | 'data' | 'deadlock' | 'timeout';

/**
 * A batch that the store did not take. Whether it was committed all the same is unknown after `connection` and
 * `timeout`: run it again, receipts tell. After `data` one of its records is at fault and would be again. Carries no
 * value of a record.
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
