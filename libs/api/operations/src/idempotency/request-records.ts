import { randomUUID } from 'node:crypto';
import type { Cache } from '@carillon/cache';
import { ServiceError } from '@carillon/errors';
import { pause, type Logger } from '@carillon/runtime';
import { orUnavailable } from '../unavailable.js';
import { Claim } from './claim.js';

/** In front of the owner's token, so that a claim is never taken for a record, which is JSON. */
const PROCESSING = '__processing__';
const POLLS = 6;
const POLL_MS = 50;

/** Result of a request with a key. */
export interface Remembered {
  /** JSON. */
  readonly record: string;
  /** False: the work ran just now. */
  readonly isReplay: boolean;
}

/** Runs the work of each key once over all processes, and stores its result. */
export class RequestRecords {
  constructor(
    private readonly cache: Cache,
    private readonly log: Logger,
  ) {}

  /**
   * The record of the name, from the work or from an earlier run of it. When the work fails the name is free again.
   *
   * @throws ServiceError `backpressure` while another request does the work, `service_unavailable` when the cache
   * cannot be asked; nothing was done then.
   */
  async once(name: string, ttlMs: number, work: () => Promise<string>): Promise<Remembered> {
    const found = await orUnavailable('idempotency store unavailable', this.#recordOrClaim(name));
    if (typeof found === 'string') return { record: found, isReplay: true };
    try {
      const record = await work();
      await found.settle(record, ttlMs);
      return { record, isReplay: false };
    } catch (error) {
      await found.release();
      throw error;
    }
  }

  async #recordOrClaim(name: string): Promise<string | Claim> {
    const token = `${PROCESSING}:${randomUUID()}`;
    for (let poll = 0; ; poll++) {
      const value = await this.cache.get(name);
      if (value !== null && !value.startsWith(PROCESSING)) return value;
      const claim = value === null ? await Claim.take(this.cache, this.log, name, token) : null;
      if (claim !== null) return claim;
      if (poll === POLLS) throw new ServiceError('backpressure', { text: 'this key is being processed' });
      await pause(POLL_MS);
    }
  }
}
