import type { ClaimedJob } from '../job-store.js';
import type { Job } from '../port.js';

/** A job between its claim and its settlement, as its handler sees it. */
export class HeldJob implements Job {
  readonly id: string;
  readonly owner: string | null;
  readonly data: string;
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly enqueuedAtMs: number;
  /** Whether its handler was called. */
  begun = false;
  /** Whether it was settled or belongs to another worker. */
  lost = false;
  /** Created on demand: most handlers do not use it. */
  #controller: AbortController | null = null;

  constructor(
    readonly queue: string,
    readonly claimed: ClaimedJob,
    /** By `performance.now()`; afterwards another worker may have the job. Infinity: no lease. */
    public leaseUntilMs: number,
    private readonly renewOne: (job: HeldJob) => Promise<void>,
  ) {
    this.id = claimed.id;
    this.owner = claimed.owner;
    this.data = claimed.data;
    this.attempt = claimed.attempt;
    this.maxAttempts = claimed.maxAttempts;
    this.enqueuedAtMs = claimed.enqueuedAtMs;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.lost) this.#controller.abort();
    return this.#controller.signal;
  }

  async renew(): Promise<boolean> {
    if (!this.lost) await this.renewOne(this);
    return !this.lost;
  }

  /** Notifies the handler that it no longer owns the job. */
  lose(): void {
    this.lost = true;
    this.#controller?.abort();
  }
}
