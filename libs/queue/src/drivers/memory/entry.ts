import type { PreparedJob } from '../../job-store.js';
import type { DeadLetter } from '../../port.js';
import type { Due } from './due-heap.js';

/** A job in memory, in whichever state. */
export interface Entry extends Due {
  readonly id: string;
  readonly stableId: boolean;
  /** Current data: as enqueued, or replaced by `defer`. */
  data: string;
  /** Fingerprint of the enqueued data once it was replaced; null until then. */
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
  /** Token of the running delivery; null if none. */
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

/** Retained data of a completed job. */
export interface Completed {
  /** Null: it cannot be enqueued again under its id. */
  readonly fingerprint: string | null;
  readonly deduplicationKey: string | null;
}
