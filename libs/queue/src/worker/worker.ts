import { pause, type Logger } from '@carillon/runtime';
import { randomUUID } from 'node:crypto';
import { FairFifo } from '../fair/fair-fifo.js';
import { MAX_JOBS, type Claim, type JobStore, type Outcome, type Settled } from '../job-store.js';
import type { QueueObserver } from '../options.js';
import type { JobHandler } from '../port.js';
import { HeldJob } from './held-job.js';
import { LeaseKeeper, type LeaseSettings } from './lease-keeper.js';
import { runHandler } from './run-handler.js';

export interface WorkerSettings {
  /** Handlers at once. */
  readonly concurrency: number;
  /** Jobs held at once. */
  readonly prefetch: number;
  readonly pollMs: number;
  /** Null: jobs of this process cannot be taken by others. */
  readonly lease: LeaseSettings | null;
  /** Whether the store itself refuses settlements by former holders. */
  readonly isFenced: boolean;
}

export interface WorkerParts {
  readonly store: JobStore;
  readonly queue: string;
  readonly handler: JobHandler;
  readonly settings: WorkerSettings;
  readonly log: Logger;
  readonly mayConsume: () => boolean;
  readonly observer: Partial<QueueObserver>;
}

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5000;
const LONGEST_SETTLE_PAUSE_MS = 1000;

/** Pulls jobs of one queue, runs their handler and settles them, until it is stopped. */
export class Worker {
  readonly #held = new Set<HeldJob>();
  /** Claimed and not begun: an owner with many jobs delays no other. */
  readonly #waiting = new FairFifo<HeldJob>();
  readonly #stopping = new AbortController();
  readonly #leases: LeaseKeeper | null;
  #running = 0;
  #pulling: Promise<void> | null = null;
  #freed: () => void = () => undefined;

  constructor(private readonly parts: WorkerParts) {
    const { store, queue, settings, log } = parts;
    this.#leases =
      settings.lease === null ? null : new LeaseKeeper(store, queue, settings.lease, this.#held, log);
  }

  /** Whether nothing is running or waiting for its turn here. */
  get idle(): boolean {
    return this.#held.size === 0;
  }

  start(): void {
    if (this.#pulling !== null || this.#stopping.signal.aborted) return;
    this.#leases?.start();
    this.#pulling = this.#pull();
  }

  /**
   * Stops pulling and waits up to `timeoutMs` for running handlers; then aborts them and returns their jobs and
   * unbegun ones. Resolves with the number of begun jobs returned. Never rejects.
   */
  async stop(timeoutMs: number): Promise<number> {
    const deadlineMs = performance.now() + timeoutMs;
    this.#stopping.abort();
    this.#freed();
    await this.#pulling;
    await this.#leave();
    await this.#giveBack(this.#waiting.takeAll());
    while (!this.idle && performance.now() < deadlineMs) {
      await this.#change(deadlineMs - performance.now());
    }
    const left = [...this.#held];
    await this.#giveBack(left);
    this.#leases?.stop();
    return left.length;
  }

  async #pull(): Promise<void> {
    const { store, queue, settings, log, mayConsume } = this.parts;
    const { signal } = this.#stopping;
    let failures = 0;
    while (!signal.aborted) {
      if (!mayConsume()) {
        await pause(settings.pollMs, signal);
        continue;
      }
      if (!this.#hasRoom()) {
        await this.#change(settings.pollMs);
        continue;
      }
      try {
        const fromMs = performance.now();
        const claim = await store.claim(queue, randomUUID(), this.#room());
        await this.#take(claim, fromMs);
        failures = 0;
        if (claim.jobs.length > 0) continue;
        await store.wait(queue, Math.min(settings.pollMs, claim.nextMs ?? settings.pollMs), signal);
      } catch (error) {
        log.warn('queue cannot be read, trying again', { queue, error, retryable: true });
        await pause(Math.min(FIRST_PAUSE_MS * 2 ** failures++, LONGEST_PAUSE_MS), signal);
      }
    }
  }

  /** Jobs are fetched in groups where more are held than run, or each one would cost a call of its own. */
  #hasRoom(): boolean {
    const { concurrency, prefetch } = this.parts.settings;
    return this.#held.size < Math.min(prefetch, Math.max(concurrency, Math.ceil(prefetch / 2)));
  }

  #room(): number {
    return Math.min(this.parts.settings.prefetch - this.#held.size, MAX_JOBS);
  }

  async #take({ jobs, retried, dead }: Claim, fromMs: number): Promise<void> {
    const { queue, settings, observer } = this.parts;
    if (retried > 0) observer.settled?.(queue, 'retry', retried);
    if (dead > 0) observer.settled?.(queue, 'dead', dead);
    if (jobs.length > 0) observer.claimed?.(queue, jobs.length);
    const leaseUntilMs = settings.lease === null ? Infinity : fromMs + settings.lease.lease_duration_ms;
    const renewOne = async (job: HeldJob) => this.#leases?.renew([job]);
    const held = jobs.map((job) => new HeldJob(queue, job, leaseUntilMs, renewOne));
    for (const job of held) this.#held.add(job);
    if (this.#stopping.signal.aborted) {
      await this.#giveBack(held);
      return;
    }
    for (const job of held) this.#waiting.add(job);
    this.#dispatch();
  }

  #dispatch(): void {
    while (this.#running < this.parts.settings.concurrency) {
      const job = this.#waiting.take();
      if (job === undefined) return;
      if (job.lost) this.#forget(job);
      else void this.#run(job);
    }
  }

  async #run(job: HeldJob): Promise<void> {
    job.begun = true;
    this.#running++;
    const fromMs = performance.now();
    const outcome = await runHandler(this.parts.handler, job);
    this.parts.observer.processed?.(this.parts.queue, (performance.now() - fromMs) / 1000);
    this.#running--;
    this.#dispatch();
    await this.#settle(job, outcome);
    this.#forget(job);
  }

  /** Tries for as long as the lease lasts: a job that is done and not settled would be done again. */
  async #settle(job: HeldJob, outcome: Outcome): Promise<void> {
    const { store, queue, settings, log } = this.parts;
    for (let failures = 0; !job.lost; failures++) {
      if (!settings.isFenced && job.leaseUntilMs <= performance.now()) return;
      try {
        this.#count(await store.settle(queue, job.claimed, outcome));
        return;
      } catch (error) {
        log.warn('job could not be settled, trying again', { queue, job_id: job.id, error, retryable: true });
        if (job.leaseUntilMs <= performance.now()) return;
        await pause(Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_SETTLE_PAUSE_MS));
      }
    }
  }

  #count(settled: Settled): void {
    const { queue, observer, log } = this.parts;
    if (settled === 'lost') log.debug('job was settled by somebody else', { queue });
    observer.settled?.(queue, settled, 1);
  }

  async #leave(): Promise<void> {
    const { store, queue, log } = this.parts;
    try {
      await store.leave?.(queue);
    } catch (error) {
      log.warn('jobs that came last could not be given back, the broker does so itself', { queue, error });
    }
  }

  async #giveBack(jobs: readonly HeldJob[]): Promise<void> {
    const { store, queue, log } = this.parts;
    // Jobs with a lost lease belong to other workers.
    const own = jobs.filter(({ lost }) => !lost);
    for (const job of jobs) job.lose();
    try {
      for (let start = 0; start < own.length; start += MAX_JOBS) {
        const some = own.slice(start, start + MAX_JOBS);
        await store.release(
          queue,
          some.map(({ claimed, begun }) => ({ job: claimed, begun })),
        );
      }
    } catch (error) {
      log.warn('jobs could not be given back, they wait for the end of their leases', { queue, error });
    }
    for (const job of jobs) this.#forget(job);
  }

  #forget(job: HeldJob): void {
    this.#held.delete(job);
    this.#freed();
  }

  /** Resolves when a job is let go of, at the latest after so long. */
  #change(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#freed(), ms);
      this.#freed = () => {
        clearTimeout(timer);
        this.#freed = () => undefined;
        resolve();
      };
    });
  }
}
