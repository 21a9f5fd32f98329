import { copyOf } from '../../broker/delivered.js';
import { encodeJob } from '../../broker/envelope.js';
import type { ClaimedJob } from '../../job-store.js';

/** Writes a delayed copy of a job; resolves with its message id. */
export type WriteCopy = (text: string, delayMs: number) => Promise<string>;

interface Lease {
  /** Message that delivers the job again unless it is acknowledged before. */
  copyId: string;
  /** On the monotonic clock of this process, no later than at the broker. */
  dueMs: number;
  renewing: Promise<void> | null;
  isEnding: boolean;
}

/** Share of a lease by which a copy is delivered after it: renewals within that time write nothing. */
const SLACK = 0.5;

/**
 * Leases of jobs. Pulsar does not count deliveries to consumers that died, and has one delay for all negative
 * acknowledgements of a consumer. So a claimed job is replaced by a copy that is due after the lease and contains the
 * number of deliveries; it is acknowledged when the job is settled.
 */
export class PulsarLeases {
  readonly #held = new Map<string, Lease>();

  constructor(private readonly leaseMs: number) {}

  /** Resolves when the copy is stored: the message that was received can be acknowledged then. */
  async begin(job: ClaimedJob, write: WriteCopy): Promise<void> {
    const { copyId, dueMs } = await this.#write(job, write);
    this.#held.set(job.token, { copyId, dueMs, renewing: null, isEnding: false });
  }

  /** False: the lease has expired, or the job was settled. */
  owns({ token }: ClaimedJob): boolean {
    const lease = this.#held.get(token);
    if (lease === undefined) return false;
    if (lease.dueMs > performance.now()) return true;
    this.#held.delete(token);
    return false;
  }

  /** Extends the lease by a new copy if the present one is due within a lease. */
  async renew(job: ClaimedJob, write: WriteCopy, acknowledge: (id: string) => void): Promise<void> {
    const lease = this.#held.get(job.token);
    if (lease === undefined || lease.isEnding || lease.dueMs - performance.now() >= this.leaseMs) return;
    lease.renewing ??= this.#extend(lease, job, write, acknowledge).finally(() => (lease.renewing = null));
    await lease.renewing;
  }

  /**
   * Prevents further renewals and resolves with the id of the copy to acknowledge. Null: the job is no longer owned.
   * May be called again after a failure.
   */
  async end(job: ClaimedJob): Promise<string | null> {
    const lease = this.#held.get(job.token);
    if (lease === undefined) return null;
    lease.isEnding = true;
    await lease.renewing?.catch(() => undefined);
    return this.owns(job) ? lease.copyId : null;
  }

  forget({ token }: ClaimedJob): void {
    this.#held.delete(token);
  }

  async #extend(
    lease: Lease,
    job: ClaimedJob,
    write: WriteCopy,
    acknowledge: (id: string) => void,
  ): Promise<void> {
    const previous = lease.copyId;
    const { copyId, dueMs } = await this.#write(job, write);
    Object.assign(lease, { copyId, dueMs });
    acknowledge(previous);
  }

  async #write(job: ClaimedJob, write: WriteCopy): Promise<Pick<Lease, 'copyId' | 'dueMs'>> {
    const delayMs = this.leaseMs * (1 + SLACK);
    const dueMs = performance.now() + delayMs;
    return { copyId: await write(encodeJob(copyOf(job, job.attempt)), delayMs), dueMs };
  }
}
