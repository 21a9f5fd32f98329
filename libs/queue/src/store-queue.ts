import { pause } from '@carillon/runtime';
import { randomUUID } from 'node:crypto';
import type { QueueCapabilities, QueueLimits } from './capabilities.js';
import { checkJob, checkQueueName } from './check-job.js';
import { chunks } from './chunks.js';
import { BatchIncomplete, CannotConsume, HandlerExists, InvalidJob, QueueStopped } from './failures.js';
import { MAX_JOBS, type JobStore, type PreparedJob } from './job-store.js';
import type { QueueParts } from './options.js';
import type {
  DeadLetter,
  JobEvent,
  JobHandler,
  JobOptions,
  NewJob,
  ProcessOptions,
  Queue,
  QueueStats,
} from './port.js';
import type { LeaseSettings } from './worker/lease-keeper.js';
import { Worker, type WorkerSettings } from './worker/worker.js';

export interface StoreQueueOptions {
  readonly driver: string;
  readonly capabilities: QueueCapabilities;
  readonly limits: QueueLimits;
  /** Handlers of one queue that run at once. */
  readonly concurrency: number;
  /** False: the store lets any former holder settle a job, so that workers rely on their clocks. */
  readonly isFenced: boolean;
  /** False: no more jobs are held than run, so that those behind them keep their order. Absent: true. */
  readonly holdsAhead?: boolean;
  /** Absent: the reliability settings. */
  readonly lease?: LeaseSettings;
}

/** Fraction of the stop time reserved for returning jobs. */
const RELEASE_PART = 0.1;
const MAX_RELEASE_MS = 1000;
/** Time that closing waits for jobs added while others were being drained. */
const CLOSING_MS = 1000;
const LOOK_AGAIN_MS = 10;
const MAX_NAMES = 1000;

/** A queue over a store that keeps jobs and their states itself; pulls with one `Worker` per queue. */
export class StoreQueue implements Queue {
  readonly driver: string;
  readonly capabilities: QueueCapabilities;
  readonly limits: QueueLimits;
  readonly queues = new Set<string>();
  readonly #workers = new Map<string, Worker>();
  #connected = false;
  #draining: Promise<void> | null = null;
  #closing: Promise<void> | null = null;

  constructor(
    private readonly store: JobStore,
    private readonly options: StoreQueueOptions,
    private readonly parts: QueueParts,
  ) {
    this.driver = options.driver;
    this.capabilities = options.capabilities;
    this.limits = options.limits;
  }

  async connect(): Promise<void> {
    this.#mustBeOpen();
    if (this.#connected) return;
    await this.store.connect();
    this.#connected = true;
    if (this.#draining === null) for (const worker of this.#workers.values()) worker.start();
  }

  async enqueue(queue: string, data: string, options: JobOptions = {}): Promise<string> {
    const [id = ''] = await this.enqueueBatch(queue, [{ ...options, data }]);
    return id;
  }

  async enqueueBatch(queue: string, jobs: readonly NewJob[]): Promise<string[]> {
    this.#mustBeOpen();
    checkQueueName(queue);
    this.#remember(queue);
    const ids: string[] = [];
    try {
      await this.#write(queue, jobs, ids);
      return ids;
    } finally {
      const failed = jobs.length - ids.length;
      if (ids.length > 0) this.parts.observer?.enqueued?.(queue, 'ok', ids.length);
      if (failed > 0) this.parts.observer?.enqueued?.(queue, 'failed', failed);
    }
  }
  process(queue: string, handler: JobHandler, options: ProcessOptions = {}): void {
    if (this.#draining !== null) throw new QueueStopped();
    checkQueueName(queue);
    if (!this.capabilities.consume) throw new CannotConsume(this.driver);
    if (this.#workers.has(queue)) throw new HandlerExists(queue);
    const { log, mayConsume = () => true, observer = {} } = this.parts;
    const settings = this.#settings(options);
    const worker = new Worker({ store: this.store, queue, handler, settings, log, mayConsume, observer });
    this.#workers.set(queue, worker);
    this.#remember(queue);
    if (this.#connected) worker.start();
  }

  async stats(queue: string): Promise<QueueStats> {
    this.#mustBeOpen();
    checkQueueName(queue);
    return this.store.stats(queue);
  }

  async listDeadLetters(queue: string, limit: number): Promise<readonly DeadLetter[]> {
    this.#mustBeOpen();
    checkQueueName(queue);
    return limit < 1 ? [] : this.store.listDeadLetters(queue, Math.min(limit, MAX_JOBS));
  }

  async replayDeadLetters(queue: string, limit: number): Promise<number> {
    this.#mustBeOpen();
    checkQueueName(queue);
    let count = 0;
    while (count < limit) {
      const asked = Math.min(limit - count, MAX_JOBS);
      const replayed = await this.store.replayDeadLetters(queue, asked);
      count += replayed;
      if (replayed < asked) break;
    }
    return count;
  }

  async removeDeadLetters(queue: string, ids: readonly string[]): Promise<number> {
    this.#mustBeOpen();
    checkQueueName(queue);
    let count = 0;
    for (let start = 0; start < ids.length; start += MAX_JOBS) {
      count += await this.store.removeDeadLetters(queue, ids.slice(start, start + MAX_JOBS));
    }
    return count;
  }

  async listEvents(queue: string, limit: number): Promise<readonly JobEvent[]> {
    this.#mustBeOpen();
    checkQueueName(queue);
    return limit < 1 ? [] : this.store.listEvents(queue, Math.min(limit, MAX_JOBS));
  }

  async health(): Promise<void> {
    this.#mustBeOpen();
    await this.store.health();
  }

  drain(): Promise<void> {
    this.#draining ??= this.#drain();
    return this.#draining;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #drain(): Promise<void> {
    const totalMs = this.parts.reliability.shutdown_timeout_ms;
    const drainMs = totalMs - Math.min(MAX_RELEASE_MS, totalMs * RELEASE_PART);
    if (this.capabilities.durable) await this.#stopWorkers(drainMs);
    else await this.#workOff(drainMs);
  }

  async #close(): Promise<void> {
    await this.drain();
    if (!this.capabilities.durable) {
      await this.#workOff(CLOSING_MS);
      await this.#stopWorkers(0);
    }
    await this.store.close();
  }

  async #stopWorkers(timeoutMs: number): Promise<void> {
    const left = await Promise.all([...this.#workers.values()].map((worker) => worker.stop(timeoutMs)));
    const released = left.reduce((sum, count) => sum + count, 0);
    if (released > 0) this.parts.log.warn('running jobs were given back at the stop', { jobs: released });
  }

  /** Waits until nothing is ready or running in the queues this process works on. */
  async #workOff(timeoutMs: number): Promise<void> {
    if (!this.#connected) return;
    const deadlineMs = performance.now() + timeoutMs;
    while (performance.now() < deadlineMs && (await this.#isBusy())) await pause(LOOK_AGAIN_MS);
  }

  async #isBusy(): Promise<boolean> {
    for (const [queue, worker] of this.#workers) {
      const { ready } = await this.store.stats(queue);
      if (ready !== 0 || !worker.idle) return true;
    }
    return false;
  }

  /** Appends the ids of written jobs to `ids`. */
  async #write(queue: string, jobs: readonly NewJob[], ids: string[]): Promise<void> {
    const prepared = jobs.map((job) => this.#prepare(job));
    const mostJobs = Math.min(this.parts.reliability.max_batch_size, this.limits.maxBatchJobs);
    for (const chunk of chunks(prepared, mostJobs)) {
      try {
        ids.push(...(await this.store.add(queue, chunk.jobs)));
      } catch (error) {
        throw error instanceof Error ? partOf(jobs.length, ids, error) : error;
      }
    }
  }

  #prepare(job: NewJob): PreparedJob {
    checkJob(job, this);
    const { jobId, data, delayMs = 0, deduplicationKey = null, maxAttempts = null } = job;
    const id = jobId ?? randomUUID();
    const { partitionKey: owner = null, isFollowUp = false } = job;
    const made = { id, stableId: jobId !== undefined, data, delayMs, deduplicationKey, maxAttempts };
    return { ...made, owner, isFollowUp };
  }

  #remember(queue: string): void {
    if (this.queues.size < MAX_NAMES) this.queues.add(queue);
  }

  #settings({
    concurrency = this.options.concurrency,
    // Without leases nothing is prefetched: fetching costs nothing, and prefetched jobs could not be taken by others.
    prefetch = this.capabilities.leasing ? this.parts.reliability.worker_prefetch : concurrency,
  }: ProcessOptions): WorkerSettings {
    for (const [name, value] of Object.entries({ concurrency, prefetch })) {
      if (!Number.isSafeInteger(value) || value < 1) {
        throw new InvalidJob(`${name} must be an integer of at least 1`);
      }
    }
    const { reliability } = this.parts;
    const lease = this.capabilities.leasing ? (this.options.lease ?? reliability) : null;
    const { isFenced, holdsAhead = true } = this.options;
    const most = holdsAhead ? prefetch : Math.min(prefetch, concurrency);
    return { concurrency, prefetch: most, pollMs: reliability.worker_poll_interval_ms, lease, isFenced };
  }

  /** From the beginning of `close` on, every call is refused. */
  #mustBeOpen(): void {
    if (this.#closing !== null) throw new QueueStopped();
  }
}

/**
 * Converts a failure after some written jobs into that of the whole batch. A store that reports its written jobs is
 * preferred.
 */
function partOf(total: number, before: readonly string[], error: Error): Error {
  const known = error instanceof BatchIncomplete ? error : null;
  if (before.length === 0 && known === null) return error;
  const start = before.length;
  const ids = Array.from({ length: total }, (_, n) => before[n] ?? known?.ids[n - start] ?? null);
  const failed = new Map(known?.failures.map((failure) => [failure.index + start, failure.error]));
  const failures = [...ids.keys()]
    .filter((index) => ids[index] === null)
    .map((index) => ({ index, error: failed.get(index) ?? error }));
  return new BatchIncomplete(ids, failures);
}
