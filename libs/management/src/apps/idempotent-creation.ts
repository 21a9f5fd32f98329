import { createHash, randomUUID } from 'node:crypto';
import type { Cache } from '@carillon/cache';
import { ServiceError } from '@carillon/errors';

/** What an earlier request with the same key created. */
export interface CreatedApp {
  readonly appId: string;
  readonly revision: string;
  readonly bodySha256: string;
}

const REMEMBERED_MS = 600_000;
/** After this time a claim counts as that of a process that died. */
const CLAIM_MS = 60_000;
const CLAIM = 'claimed:';

/** Creates one app per `X-Idempotency-Key` and principal, over all processes. The cache never holds a secret. */
export class IdempotentCreation {
  readonly #name: string;
  readonly #claim = `${CLAIM}${randomUUID()}`;

  constructor(
    private readonly cache: Cache,
    principal: string,
    key: string,
  ) {
    const hash = createHash('sha256').update(`${principal}\0${key}`).digest('hex');
    this.#name = `management:create:${hash}`;
  }

  /**
   * Returns what an earlier request created; null: this request is the first and must complete or abandon it.
   *
   * @throws ServiceError `conflict` for another body, `backpressure` while the first request runs
   */
  async begin(bodySha256: string): Promise<CreatedApp | null> {
    const { cache } = this;
    if (await reached(cache.setIfAbsent(this.#name, this.#claim, CLAIM_MS))) return null;
    const text = await reached(cache.get(this.#name));
    if (text === null || text.startsWith(CLAIM))
      throw new ServiceError('backpressure', { text: 'a request with this key is still running' });
    const earlier = JSON.parse(text) as CreatedApp;
    if (earlier.bodySha256 === bodySha256) return earlier;
    throw new ServiceError('conflict', { text: 'the key was used with another body' });
  }

  async complete(created: CreatedApp): Promise<void> {
    await this.cache
      .compareAndSwap(this.#name, this.#claim, JSON.stringify(created), REMEMBERED_MS)
      // The app exists; without the record a repetition is answered as a conflict of its id, or creates another app.
      .catch(() => false);
  }

  async abandon(): Promise<void> {
    await this.cache.compareAndRemove(this.#name, this.#claim).catch(() => false);
  }
}

async function reached<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    throw new ServiceError('service_unavailable', { text: 'the idempotency store is unavailable', cause });
  }
}
