import type { Claim, ClaimedJob, Outcome, PreparedJob } from '../job-store.js';
import type { DeadLetter } from '../port.js';
import { decodeDead, decodeJob, type Death, type Envelope } from './envelope.js';

/** A message of a broker, as it was handed to us. */
export interface Delivered {
  /** Identifies this delivery; required to settle it. */
  readonly token: string;
  readonly text: string;
  /** Delivery count of the broker, this one included. */
  readonly count: number;
  /** Time of publication; null if the broker does not report it. */
  readonly writtenAtMs: number | null;
}

/** Handling of a message before any handler sees it. */
export type Sorted =
  | { readonly kind: 'job'; readonly job: ClaimedJob }
  /** Its time has not come: it is to come again after so long. */
  | { readonly kind: 'early'; readonly waitMs: number }
  | { readonly kind: 'dead'; readonly death: Death };

/**
 * Sorts a delivery. A delayed copy is returned at its first delivery, which only sets the delay at the broker and is
 * no attempt. A delivery beyond the last attempt means that the worker of the previous one died.
 */
export function sorted({ token, text, count, writtenAtMs }: Delivered, maxAttempts: number): Sorted {
  const nowMs = Date.now();
  const envelope = decodeJob(text);
  if (envelope === null) {
    return {
      kind: 'dead',
      death: { reason: 'invalid-envelope', detail: null, attempts: count - 1, atMs: nowMs },
    };
  }
  const { id, enqueuedAtMs, attempts, waitMs, owner, data } = envelope;
  const mustWait = waitMs > 0;
  if (mustWait && count === 1) {
    return { kind: 'early', waitMs: Math.max(0, (writtenAtMs ?? nowMs) + waitMs - nowMs) };
  }
  const attempt = attempts + count - (mustWait ? 1 : 0);
  if (attempt > maxAttempts) {
    const death = {
      reason: 'attempts-exhausted',
      detail: 'lease-expired',
      attempts: attempt - 1,
      atMs: nowMs,
    };
    return { kind: 'dead', death };
  }
  return { kind: 'job', job: { id, token, owner, data, attempt, maxAttempts, enqueuedAtMs } };
}

/** A job on its way to the broker for the first time. */
export function firstOf({ id, data, delayMs, owner = null }: PreparedJob): Envelope {
  return { id, enqueuedAtMs: Date.now(), attempts: 0, waitMs: delayMs, owner, data };
}

/** Returns the copy as which a job continues after this many deliveries. */
export function copyOf(job: ClaimedJob, attempts: number, waitMs = 0, data = job.data): Envelope {
  return { id: job.id, enqueuedAtMs: job.enqueuedAtMs, attempts, waitMs, owner: job.owner, data };
}

/** Returns the dead letter of a job with this outcome; null: it does not die. */
export function deathOf(
  { attempt, maxAttempts }: ClaimedJob,
  outcome: Extract<Outcome, { kind: 'dead' | 'retry' }>,
): Death | null {
  const made = { attempts: attempt, atMs: Date.now() };
  if (outcome.kind === 'dead') return { reason: outcome.reason, detail: null, ...made };
  if (attempt < maxAttempts) return null;
  return { reason: 'attempts-exhausted', detail: `${outcome.reason}: ${outcome.detail}`, ...made };
}

/** A dead letter that lies at this place. */
export function letterOf(id: string, text: string): DeadLetter {
  const { job, death } = decodeDead(text);
  return {
    id,
    data: job?.data ?? null,
    reason: death.reason,
    detail: death.detail,
    attempts: death.attempts,
    enqueuedAtMs: job?.enqueuedAtMs ?? null,
    failedAtMs: death.atMs,
  };
}

/** Returns the job of a dead letter with its attempts reset. A text that is no job is returned unchanged. */
export function replayOf(text: string): { readonly job: Envelope | null; readonly text: string } {
  const { job, text: original } = decodeDead(text);
  return { job: job === null ? null : { ...job, attempts: 0, waitMs: 0 }, text: original };
}

export const NOTHING: Claim = { jobs: [], nextMs: null, retried: 0, dead: 0 };
