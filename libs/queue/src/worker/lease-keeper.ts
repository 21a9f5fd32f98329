import type { Logger } from '@carillon/runtime';
import { MAX_JOBS, type JobStore } from '../job-store.js';
import type { HeldJob } from './held-job.js';

export interface LeaseSettings {
  readonly lease_duration_ms: number;
  readonly lease_renew_interval_ms: number;
}

/** Renews the leases of all jobs held by a worker, and notifies handlers of lost ones. */
export class LeaseKeeper {
  #timer: NodeJS.Timeout | undefined;
  #renewing = false;

  constructor(
    private readonly store: JobStore,
    private readonly queue: string,
    private readonly settings: LeaseSettings,
    private readonly held: ReadonlySet<HeldJob>,
    private readonly log: Logger,
  ) {}

  start(): void {
    this.#timer ??= setInterval(() => void this.#tick(), this.settings.lease_renew_interval_ms);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Renews now. A store that does not answer leaves the leases as they are, until their time is over. */
  async renew(jobs: readonly HeldJob[]): Promise<void> {
    const fromMs = performance.now();
    try {
      const lost = new Set(
        await this.store.renew(
          this.queue,
          jobs.map(({ claimed }) => claimed),
        ),
      );
      for (const job of jobs) {
        if (lost.has(job.claimed)) job.lose();
        else job.leaseUntilMs = fromMs + this.settings.lease_duration_ms;
      }
    } catch (error) {
      this.log.warn('leases of running jobs could not be renewed', { queue: this.queue, error });
    }
    this.#loseExpired();
  }

  async #tick(): Promise<void> {
    this.#loseExpired();
    if (this.#renewing) return;
    this.#renewing = true;
    const jobs = [...this.held].filter(({ lost }) => !lost);
    for (let start = 0; start < jobs.length; start += MAX_JOBS) {
      await this.renew(jobs.slice(start, start + MAX_JOBS));
    }
    this.#renewing = false;
  }

  #loseExpired(): void {
    const nowMs = performance.now();
    for (const job of this.held) if (job.leaseUntilMs <= nowMs) job.lose();
  }
}
