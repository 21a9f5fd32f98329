import type { ClaimedJob } from '../job-store.js';

/**
 * Orders renewals and settlements of deliveries for brokers whose requests overtake each other: a settlement waits for a
 * renewal in flight, and a delivery that is being settled is not renewed, which would hide it for as long as a lease.
 */
export class LeaseRenewals {
  readonly #settling = new Set<string>();
  #renewing: Promise<unknown> = Promise.resolve();

  /** Renews the jobs that are not being settled. */
  async renew<Answer>(
    jobs: readonly ClaimedJob[],
    send: (jobs: readonly ClaimedJob[]) => Promise<Answer>,
  ): Promise<Answer> {
    const renewed = send(jobs.filter(({ token }) => !this.#settling.has(token)));
    this.#renewing = renewed.catch(() => undefined);
    return renewed;
  }

  /** Settles a delivery after a renewal in flight. */
  async settle<Answer>({ token }: ClaimedJob, send: () => Promise<Answer>): Promise<Answer> {
    this.#settling.add(token);
    try {
      await this.#renewing;
      return await send();
    } finally {
      this.#settling.delete(token);
    }
  }
}
