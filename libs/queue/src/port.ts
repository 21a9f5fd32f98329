import type { QueueCapabilities, QueueLimits } from './capabilities.js';
import type { Settlement } from './settlement.js';

/**
 * Work queues with named queues that are created at their first use. Every driver promises:
 * - At least once. A job whose `enqueue` resolved is delivered until a handler settles it, however often processes
 * die in between (unless the driver is not `durable`). It may be delivered twice: handlers are idempotent. Jobs are
 * unordered; drivers deliver the longest waiting first where they can.
 * - A handler that resolves acknowledges. One that rejects, crashes or loses its lease fails the delivery: the job is
 * retried with exponential backoff from `retry_base_delay_ms` to `retry_max_delay_ms`, with a jitter that spreads
 * jobs but is constant per job and attempt. A failure at the last attempt makes it a dead letter.
 * - Attempts count from 1. Dead letters are kept until replayed or removed, the newest `failed_retention` of them.
 * - An unreadable message becomes a dead letter with reason `invalid-envelope`; it never stops the queue.
 * - An unsupported option rejects with `QueueOptionUnsupported`, and nothing is written.
 * - Everything is bounded: a batch, an answer, a wait, the jobs held by a worker.
 * - While the broker is unavailable, calls reject with `QueueUnavailable` and consumption pauses; both recover
 * automatically. There is no fallback to memory.
 * Mapping to brokers that keep the states of jobs:
 * - Written: JetStream's answer to the publish (work-queue retention, discard new: a full stream is `QueueFull`),
 * RabbitMQ's confirm of a persistent message, Kafka's `acks=all`, the provider's answer for SQS and Pub/Sub. A partly
 * written batch is `BatchIncomplete`. Ids are the driver's own unless `deduplication` is given.
 * - Lease: the ack wait of JetStream, the visibility timeout of SQS, the ack deadline of Pub/Sub, each extended while
 * a handler runs; the unacknowledged message of RabbitMQ, lost with its connection; the assigned partition of Kafka;
 * a delayed copy of Pulsar that is due after the lease; a claim in the log of Iggy. After its loss `renew` is false
 * and `signal` is aborted.
 * - Acknowledged: the broker's acknowledgement; in Kafka an offset, committed when everything before it in the
 * partition is settled, so a process that dies repeats the records after the last commit.
 * - Retry delay: a delayed NAK, a delay queue that dead-letters back, a changed visibility, an extended deadline (at
 * most 600 s); in Kafka a copy in a retry topic, which its consumer holds in memory until it is due.
 * - Attempts: the broker's delivery count (JetStream, SQS, Pub/Sub), or a header on a copy that is written before its
 * original is acknowledged (RabbitMQ, Kafka: the copy goes to the end of its queue). A deferred job is such a copy
 * everywhere, with its attempts and delay; its first delivery only sets the delay.
 * - Dead letters: a separate stream, queue or topic, written before the original is acknowledged. `failed_retention`
 * is the broker's length limit where it has one, else its retention time. Ids are positions in it; where only a
 * position can be moved, removal counts from the oldest on.
 * - Values that the broker does not report are null in `stats`, and `listEvents` is empty.
 * - Drained: nothing is pulled. Begun jobs are returned by a NAK, a requeue, a visibility of 0, or an uncommitted
 * offset; unbegun ones continue as copies where a delivery counts as an attempt.
 */
export interface Queue {
  /** Configured driver, as in `redis-cluster`. */
  readonly driver: string;
  readonly capabilities: QueueCapabilities;
  readonly limits: QueueLimits;
  /** The first 1000 queues this process has produced to or consumes. */
  readonly queues: ReadonlySet<string>;

  /** Reaches the broker, once; may be called again after it failed. Consumption begins after it. */
  connect(): Promise<void>;

  /**
   * Resolves with the job's id once the job is safe. Rejects with `InvalidJob`, `JobConflict`, `QueueFull`,
   * `QueueOptionUnsupported`, `QueueUnavailable` or `QueueStopped`; after `QueueUnavailable` the job may be there
   * all the same.
   */
  enqueue(queue: string, data: string, options?: JobOptions): Promise<string>;

  /**
   * Resolves with the ids in order. Written in chunks of at most `max_batch_size` and `maxBatchJobs` jobs; a chunk is
   * atomic where the driver's store supports it. Rejects like `enqueue` if nothing was written, else with
   * `BatchIncomplete`, which lists the written jobs.
   */
  enqueueBatch(queue: string, jobs: readonly NewJob[]): Promise<string[]>;

  /**
   * Hands the queue's jobs to this handler from `connect` until `drain`. Throws `HandlerExists` for a second handler of
   * one queue in one process, `CannotConsume` where the driver only produces, `QueueStopped` after `drain`.
   */
  process(queue: string, handler: JobHandler, options?: ProcessOptions): void;

  stats(queue: string): Promise<QueueStats>;

  /** Oldest first. Fewer than `limit` (at most 1000) when they are large, but never none while there are some. */
  listDeadLetters(queue: string, limit: number): Promise<readonly DeadLetter[]>;

  /** Makes up to `limit` dead letters ready again, oldest first, their attempts forgotten; how many it were. */
  replayDeadLetters(queue: string, limit: number): Promise<number>;

  /** Forgets dead letters that `listDeadLetters` named; how many of them there were. */
  removeDeadLetters(queue: string, ids: readonly string[]): Promise<number>;

  /** The latest events, oldest first, at most `limit` (at most 1000). Empty where the driver records none. */
  listEvents(queue: string, limit: number): Promise<readonly JobEvent[]>;

  /** Rejects when the broker cannot serve. */
  health(): Promise<void>;

  /**
   * Ends consumption in this process: pulls nothing more, lets running handlers finish for `shutdown_timeout_ms`,
   * then aborts their `signal` and returns their jobs and unbegun ones. Producing continues. A driver that is not
   * durable processes all ready jobs instead, since no other process could. Idempotent, never rejects.
   */
  drain(): Promise<void>;

  /** Drains, makes every later call reject with `QueueStopped`, releases connections. Deletes nothing. Idempotent. */
  close(): Promise<void>;
}

export interface JobOptions {
  /**
   * 1 to 512 bytes; absent: a new one. While a job of this id waits, runs, is a dead letter or is among the
   * `completed_retention` last completed ones, enqueuing the same data again resolves and changes nothing, and other
   * data rejects with `JobConflict`.
   */
  readonly jobId?: string;
  /**
   * 1 to 512 bytes. For `deduplication_ttl_ms`, and as long as that job still exists, a job with the same key resolves
   * with the id of the first one and is not written.
   */
  readonly deduplicationKey?: string;
  /** Earliest time from now; absent or 0: ready at once. */
  readonly delayMs?: number;
  /** Instead of `max_attempts`. */
  readonly maxAttempts?: number;
  /**
   * Owner of the job, such as an app. Owners are served in turn, in the whole queue where `fairOwners` is true, else
   * among the jobs that a worker holds. Kafka and FIFO queues of SQS keep order within a key. The memory driver gives all
   * jobs of one key a quarter of its room; beyond, they are refused with `QueueFull`.
   */
  readonly partitionKey?: string;
  /**
   * It is made of a job that is being handled and cannot end before: a bounded driver keeps room for such ones that
   * others do not get. Absent: false.
   */
  readonly isFollowUp?: boolean;
}

export interface NewJob extends JobOptions {
  readonly data: string;
}

/** A job as handed out. Its data is the text that was enqueued, if that was Unicode; halves of a pair are not kept. */
export interface Job {
  readonly id: string;
  readonly queue: string;
  readonly data: string;
  /** 1 on the first delivery. */
  readonly attempt: number;
  readonly maxAttempts: number;
  /** Null if the broker does not report it. */
  readonly enqueuedAtMs: number | null;
  /** Aborted when the lease is lost or the stop's time is over: end side effects, settling is ignored from here on. */
  readonly signal: AbortSignal;
  /** Renews the lease now, beside the automatic renewal; false when it is lost. */
  renew(): Promise<boolean>;
}

export type JobHandler = (job: Job) => Promise<Settlement | void>;

export interface ProcessOptions {
  /** Handlers of this queue that run at once; absent: the driver's. */
  readonly concurrency?: number;
  /**
   * Jobs held at once, running ones included. Below the concurrency it bounds that too. Absent: `worker_prefetch`, or
   * the concurrency where there are no leases.
   */
  readonly prefetch?: number;
}

/** Null: unknown to the driver. */
export interface QueueStats {
  readonly ready: number | null;
  readonly active: number | null;
  /** Jobs that wait for their time. */
  readonly delayed: number | null;
  readonly deadLetter: number | null;
  readonly completed: number | null;
  /** Waiting time of the oldest ready job; null also if none is ready. */
  readonly oldestReadyAgeMs: number | null;
  /** Time since the oldest active delivery; null also if none is active. */
  readonly oldestActiveAgeMs: number | null;
}

/** Stats of a driver that observes nothing. */
export const UNKNOWN_STATS: QueueStats = {
  ready: null,
  active: null,
  delayed: null,
  deadLetter: null,
  completed: null,
  oldestReadyAgeMs: null,
  oldestActiveAgeMs: null,
};

/** Why a delivery failed, beside the reasons handlers give. */
export type FailureReason =
  | 'processor-error'
  | 'processor-crash'
  | 'lease-expired'
  | 'attempts-exhausted'
  | 'invalid-envelope';

export interface DeadLetter {
  readonly id: string;
  /** Null if the stored data is unreadable or exceeds the job size limit. */
  readonly data: string | null;
  /** A `FailureReason`, or the reason given by the handler. */
  readonly reason: string;
  /** For `attempts-exhausted`, why the last delivery failed; scrubbed, for operators. */
  readonly detail: string | null;
  /** Deliveries made. */
  readonly attempts: number;
  readonly enqueuedAtMs: number | null;
  readonly failedAtMs: number;
}

export interface JobEvent {
  readonly event:
    | 'enqueued'
    | 'waiting'
    | 'active'
    | 'completed'
    | 'retrying'
    | 'stalled'
    | 'failed'
    | 'replayed';
  readonly jobId: string;
  readonly timestamp: number;
}
