import type { CommitBody, CommitResult } from '@carillon/contracts';
import type { Lane } from '../lane/lane.js';

/** Outcome of sending a request once. */
export type CommitAnswer =
  | { readonly kind: 'committed'; readonly results: readonly CommitResult[] }
  | { readonly kind: 'refused'; readonly code: 'backpressure' | 'lane_mismatch' | 'unsupported_version' }
  /** No writer serves the lane. */
  | { readonly kind: 'no_responder' };

/**
 * Carries requests to the writer of a lane. Requests may be lost, delayed or duplicated: the sender repeats them with
 * the same records. A send may never settle; a rejection counts as `no_responder`.
 */
export interface CommitTransport {
  send(request: CommitBody): Promise<CommitAnswer>;
  /** A lane that is in this process for good; null: there is no such lane. Absent: any may be elsewhere some time. */
  laneInside?(lane: number): Pick<Lane, 'submit'> | null;
}
