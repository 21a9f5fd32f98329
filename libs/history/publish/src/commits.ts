import type { CommitRecord, CommitResult } from '@carillon/contracts';

/**
 * Commits records. Every record gets a result in time; failures of the transport are rejections too. Records of one
 * channel are committed in call order.
 */
export interface Commits {
  commit(records: readonly CommitRecord[]): Promise<readonly CommitResult[]>;
  /** One after another, of any channels: after the first that is rejected the rest is answered `skipped`. */
  commitChain(records: readonly CommitRecord[]): Promise<readonly CommitResult[]>;
}
