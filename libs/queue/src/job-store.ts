import type { DeadLetter, FailureReason, JobEvent, QueueStats } from './port.js';

/** A checked job on its way into a store. */
export interface PreparedJob {
  readonly id: string;
  /** Whether the id was given, so that the job may come again. */
  readonly stableId: boolean;
  readonly data: string;
  readonly delayMs: number;
  readonly deduplicationKey: string | null;
  /** Null: the consumer's `max_attempts`. */
  readonly maxAttempts: number | null;
  /** Owner among which jobs are served in turn, and whose share of a bounded store it takes. Null or absent: none. */
  readonly owner?: string | null;
  /** Made of a job that runs. Absent: not. */
  readonly isFollowUp?: boolean;
}

/** A claimed delivery: its token is required to settle it. */
export interface ClaimedJob {
  readonly id: string;
  readonly token: string;
  /** Owner among which jobs are served in turn. Null: none. */
  readonly owner: string | null;
  readonly data: string;
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly enqueuedAtMs: number;
}

export interface Claim {
  readonly jobs: readonly ClaimedJob[];
  /** When to look again at the latest; null: nothing is known to become ready. */
  readonly nextMs: number | null;
  /** Jobs that were found abandoned or unreadable on the way. */
  readonly retried: number;
  readonly dead: number;
}

/** Outcome of a delivery. */
export type Outcome =
  | { readonly kind: 'ok' }
  /** `data`: replaces the job's data, with attempts reset. */
  | { readonly kind: 'defer'; readonly delayMs: number; readonly data?: string }
  | { readonly kind: 'retry'; readonly reason: FailureReason; readonly detail: string }
  | { readonly kind: 'dead'; readonly reason: string };

/** `lost`: the delivery was no longer the worker's to settle, and nothing changed. */
export type Settled = 'ok' | 'deferred' | 'retry' | 'dead' | 'lost';

/** A returned job. A begun one keeps its attempt. */
export interface Returned {
  readonly job: ClaimedJob;
  readonly begun: boolean;
}

/**
 * The states of a queue's jobs and the transitions between them, for drivers that keep both themselves. Every
 * transition is atomic. Rejects with `QueueUnavailable` when the store does not answer.
 */
export interface JobStore {
  connect(): Promise<void>;
  /** All of them or none; the id each now goes by. Rejects with `JobConflict` or `QueueFull`. */
  add(queue: string, jobs: readonly PreparedJob[]): Promise<string[]>;
  /** At most `limit` jobs, at most 1000, fewer when they are large. */
  claim(queue: string, token: string, limit: number): Promise<Claim>;
  settle(queue: string, job: ClaimedJob, outcome: Outcome): Promise<Settled>;
  /** Resolves with the jobs whose lease is lost. */
  renew(queue: string, jobs: readonly ClaimedJob[]): Promise<readonly ClaimedJob[]>;
  /** Makes jobs ready again, before all others. Jobs that are no longer the worker's stay as they are. */
  release(queue: string, jobs: readonly Returned[]): Promise<void>;
  /** Stops claiming in this process: prefetched jobs are returned. Absent: nothing is prefetched. */
  leave?(queue: string): Promise<void>;
  /** Resolves when there may be something to claim, at the latest after so long. */
  wait(queue: string, ms: number, signal: AbortSignal): Promise<void>;
  stats(queue: string): Promise<QueueStats>;
  listDeadLetters(queue: string, limit: number): Promise<readonly DeadLetter[]>;
  replayDeadLetters(queue: string, limit: number): Promise<number>;
  removeDeadLetters(queue: string, ids: readonly string[]): Promise<number>;
  listEvents(queue: string, limit: number): Promise<readonly JobEvent[]>;
  health(): Promise<void>;
  close(): Promise<void>;
}

/** Most jobs one call to a store takes or gives. */
export const MAX_JOBS = 1000;
/** Most bytes of data one call takes or gives, beyond a first job of any size. */
export const MAX_BYTES = 8 * 1024 * 1024;
/** Most bytes of one job's data: larger work is split by its producer. */
export const MAX_JOB_BYTES = 4 * 1024 * 1024;
