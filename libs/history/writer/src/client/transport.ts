import type { CommitBody, CommitResult } from '@carillon/contracts';
import type { Lane } from '../lane/lane.js';

/** What one sending of a request came to. */
export type CommitAnswer =
  | { readonly kind: 'committed'; readonly results: readonly CommitResult[] }
  | { readonly kind: 'refused'; readonly code: 'backpressure' | 'lane_mismatch' | 'unsupported_version' }
  /** Nobody is there who could have taken it. */
  | { readonly kind: 'no_responder' };

/**
 * Carries requests to the writer of a lane. It may lose, delay or double them: whoever sends does so again, with the
 * same records. A send may stay silent for good; one that rejects counts as not responded to.
 */
export interface CommitTransport {
  send(request: CommitBody): Promise<CommitAnswer>;
  /** A lane that is in this process for good; null: there is no such lane. Absent: any may be elsewhere some time. */
  laneInside?(lane: number): Pick<Lane, 'submit'> | null;
}
