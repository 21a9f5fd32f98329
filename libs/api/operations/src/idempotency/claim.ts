import type { Cache } from '@carillon/cache';
import type { Logger } from '@carillon/runtime';

/** Lifetime of a claim after the death of its process. */
const CLAIM_TTL_MS = 10_000;
const RENEWAL_MS = 3000;

/** Exclusive claim of this process on some work, until it is settled or the process dies. */
export class Claim {
  readonly #renewal: NodeJS.Timeout;

  private constructor(
    private readonly cache: Cache,
    private readonly log: Logger,
    private readonly name: string,
    private readonly token: string,
  ) {
    this.#renewal = setInterval(() => void this.#renew(), RENEWAL_MS);
  }

  /** Null: the name is taken. `token` is unique to the attempt. Rejects when the cache does. */
  static async take(cache: Cache, log: Logger, name: string, token: string): Promise<Claim | null> {
    const isOurs = await cache.setIfAbsent(name, token, CLAIM_TTL_MS);
    return isOurs ? new Claim(cache, log, name, token) : null;
  }

  /**
   * Replaces the claim by the result of the work. Never rejects: the work is done, whether or not its result is
   * stored.
   */
  async settle(value: string, ttlMs: number): Promise<void> {
    clearInterval(this.#renewal);
    try {
      if (await this.cache.compareAndSwap(this.name, this.token, value, ttlMs)) return;
      // The claim has expired. A value written by another process since must not be overwritten.
      if (await this.cache.setIfAbsent(this.name, value, ttlMs)) return;
      this.log.warn('an idempotency claim was lost while its publish ran');
    } catch (error) {
      this.log.warn('an idempotency record could not be stored', { error });
    }
  }

  /** Releases the claim, so that the work can be retried. Never rejects: the claim expires anyway. */
  async release(): Promise<void> {
    clearInterval(this.#renewal);
    try {
      await this.cache.compareAndRemove(this.name, this.token);
    } catch (error) {
      this.log.warn('an idempotency claim could not be released', { error });
    }
  }

  async #renew(): Promise<void> {
    try {
      await this.cache.compareAndSwap(this.name, this.token, this.token, CLAIM_TTL_MS);
    } catch (error) {
      this.log.warn('an idempotency claim could not be renewed', { error });
    }
  }
}
