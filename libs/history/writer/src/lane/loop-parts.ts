import type { CommitRecord, CommitResult } from '@carillon/contracts';
import type { HistoryStore, StoreFailureCause } from '@carillon/history-store';
import type { Clock } from '../clock.js';

/** Callbacks of a lane for metrics and logs. None may throw. */
export interface LaneEvents {
  /** A batch was not taken and is tried again. */
  retried(cause: StoreFailureCause): void;
  /** A record failed alone although it passed all checks; its publisher gets `internal_error`. */
  recordFailed(error: unknown): void;
  committed(records: number, transactionMs: number): void;
  /** A record waited so long for its batch. */
  waited(ms: number): void;
  /** A record was taken and waits. */
  arrived(record: CommitRecord): void;
  /** A record was answered. */
  answered(record: CommitRecord, result: CommitResult, afterMs: number): void;
  /** Committed records went to the gateways, so long after their commit. */
  handedOver(records: number, afterMs: number): void;
  /** Records went to the gateways again. */
  resent(records: number): void;
  /** Records could not be handed over, or the watermark not be raised; both are tried again. */
  handOverFailed(error: unknown): void;
}

/** Dependencies of the commit loop. */
export interface LoopParts {
  readonly store: Pick<HistoryStore, 'commit' | 'limits'>;
  readonly clock: Clock;
  readonly events: LaneEvents;
  readonly newStreamId: () => string;
}

export interface LoopOptions {
  readonly writerId: string;
  /** The process, as it is named in the state of a stream. */
  readonly nodeId: string;
}
