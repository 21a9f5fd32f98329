import type { Claim, ClaimedJob, Outcome, PreparedJob } from '../job-store.js';
import type { DeadLetter } from '../port.js';
import { decodeDead, decodeJob, type Death, type Envelope } from './envelope.js';

/** A message of a broker, as it was handed to us. */
export interface Delivered {
  /** Leads to this delivery alone: who settles it has to name it. */
  readonly token: string;
  readonly text: string;
  /** How often it was handed out, as far as the broker counts, this time included. */
  readonly count: number;
  /** When it was written; null: the broker does not tell. */
  readonly writtenAtMs: number | null;
}

/** What is to become of a message before any handler sees it. */
export type Sorted =
  | { readonly kind: 'job'; readonly job: ClaimedJob }
  /** Its time has not come: it is to come again after so long. */
  | { readonly kind: 'early'; readonly waitMs: number }
  | { readonly kind: 'dead'; readonly death: Death };

/**
 * A copy that has to wait is given back at its first delivery, which tells the broker how long; so that delivery is no
 * attempt. Beyond the last attempt nobody has settled the one before: its worker died.
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

/** The copy a job goes on as, after so many deliveries. */
export function copyOf(job: ClaimedJob, attempts: number, waitMs = 0, data = job.data): Envelope {
  return { id: job.id, enqueuedAtMs: job.enqueuedAtMs, attempts, waitMs, owner: job.owner, data };
}

/** How a job died whose handler ended so; null: it did not. */
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

/** What a dead letter's job is put back as: its attempts forgotten. What is no job goes back as it is. */
export function replayOf(text: string): { readonly job: Envelope | null; readonly text: string } {
  const { job, text: original } = decodeDead(text);
  return { job: job === null ? null : { ...job, attempts: 0, waitMs: 0 }, text: original };
}

export const NOTHING: Claim = { jobs: [], nextMs: null, retried: 0, dead: 0 };
