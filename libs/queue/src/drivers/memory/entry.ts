import type { DeadLetter } from '../../port.js';
import type { Due } from './due-heap.js';

/** A job in memory, in whichever state. */
export interface Entry extends Due {
  readonly id: string;
  readonly stableId: boolean;
  readonly data: string;
  readonly deduplicationKey: string | null;
  readonly maxAttempts: number | null;
  readonly enqueuedAtMs: number;
  /** Deliveries begun. */
  attempts: number;
  /** On the clock of `performance.now()`. */
  dueMs: number;
  sequence: number;
  readySinceMs: number;
  /** Of the running delivery; null when none runs. */
  token: string | null;
  failure: Pick<DeadLetter, 'reason' | 'detail' | 'failedAtMs'> | null;
}

/** What is remembered of a completed job. */
export interface Completed {
  /** Null: nobody can ask for it again. */
  readonly fingerprint: string | null;
  readonly deduplicationKey: string | null;
}

/** How many jobs all queues of the driver may hold together. */
export interface Capacity {
  used: number;
  readonly most: number;
}
