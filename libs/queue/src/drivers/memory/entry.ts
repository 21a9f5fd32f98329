import type { PreparedJob } from '../../job-store.js';
import type { DeadLetter } from '../../port.js';
import type { Due } from './due-heap.js';

/** A job in memory, in whichever state. */
export interface Entry extends Due {
  readonly id: string;
  readonly stableId: boolean;
  /** As enqueued, or as it was deferred with. */
  data: string;
  /** Stands for what was enqueued once the data is another; null until then. */
  fingerprint: string | null;
  readonly deduplicationKey: string | null;
  readonly maxAttempts: number | null;
  readonly enqueuedAtMs: number;
  readonly owner: string | null;
  /** Deliveries begun. */
  attempts: number;
  /** On the clock of `performance.now()`. */
  dueMs: number;
  sequence: number;
  readySinceMs: number;
  /** When the running delivery was handed out, on that clock; of no meaning while none runs. */
  begunMs: number;
  /** Of the running delivery; null when none runs. */
  token: string | null;
  failure: Pick<DeadLetter, 'reason' | 'detail' | 'failedAtMs'> | null;
}

/** A job that is new, and in no place yet. */
export function newEntry(job: PreparedJob): Entry {
  const { id, stableId, data, deduplicationKey, maxAttempts, owner = null } = job;
  const nowMs = performance.now();
  return {
    id,
    stableId,
    data,
    fingerprint: null,
    deduplicationKey,
    maxAttempts,
    enqueuedAtMs: Date.now(),
    owner,
    attempts: 0,
    dueMs: nowMs,
    sequence: 0,
    readySinceMs: nowMs,
    begunMs: nowMs,
    token: null,
    failure: null,
  };
}

/** A dead job as it is shown. */
export const letterOf = ({ id, data, attempts, enqueuedAtMs, failure }: Entry): DeadLetter => ({
  id,
  data,
  reason: failure?.reason ?? 'processor-error',
  detail: failure?.detail ?? null,
  attempts,
  enqueuedAtMs,
  failedAtMs: failure?.failedAtMs ?? enqueuedAtMs,
});

/** What is remembered of a completed job. */
export interface Completed {
  /** Null: nobody can ask for it again. */
  readonly fingerprint: string | null;
  readonly deduplicationKey: string | null;
}
