import type { CommitRecord, CommitResult } from '@carillon/contracts';

/**
 * Where events become durable. Every record gets a result in time; what went wrong on the way is a rejection too.
 * Records of one channel are committed in the order of the calls.
 */
export interface Commits {
  commit(records: readonly CommitRecord[]): Promise<readonly CommitResult[]>;
  /** One after another, of any channels: after the first that is rejected the rest is answered `skipped`. */
  commitChain(records: readonly CommitRecord[]): Promise<readonly CommitResult[]>;
}
