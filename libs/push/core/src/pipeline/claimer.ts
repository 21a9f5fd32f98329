import type { PushParts } from '../parts.js';
import { queuesOf } from './items.js';
import type { DeliveryBatch, DeliveryJob } from './payloads.js';

/** Duration of a claim for sending. */
export const LEASE_MS = 60_000;
/** Cache time of the queue age. */
const AGE_KEPT_MS = 1000;

export interface Claimed {
  readonly taken: ReadonlySet<string>;
  /** Whether another worker holds some of the rest: the batch has to be tried again when its lease has ended. */
  readonly isHeld: boolean;
}

/**
 * Claims deliveries for sending. A claim whose lease has ended may belong to a worker that died behind the send: its result
 * may still wait in the queue of results. So the claim is taken over only when the results of the time before its end are
 * applied; else a killed dispatcher would have whole batches sent again whenever feedback is slower than the lease.
 */
export class Claimer {
  #age: { readonly untilMs: number; readonly ms: Promise<number> } | null = null;

  constructor(private readonly parts: PushParts) {}

  async claim(
    { appId, publishId }: DeliveryBatch,
    wanted: readonly DeliveryJob[],
    owner: string,
  ): Promise<Claimed> {
    const { store, now } = this.parts;
    const nowMs = now();
    const lease = { owner, nowMs, untilMs: nowMs + LEASE_MS };
    const taken = await store.takeForSending(appId, publishId, wanted, { ...lease, lapsedMs: 0 });
    const others = wanted.filter(({ deliveryKey }) => !taken.has(deliveryKey));
    if (others.length === 0) return { taken, isHeld: false };
    const lapsedMs = nowMs - (await this.#resultsAgeMs());
    const lapsed = await store.takeForSending(appId, publishId, others, { ...lease, lapsedMs });
    const left = others.filter(({ deliveryKey }) => !lapsed.has(deliveryKey));
    const isHeld = left.length > 0 && (await store.isBeingSent(appId, publishId, left, lapsedMs));
    return { taken: new Set([...taken, ...lapsed]), isHeld };
  }

  /** Age of the oldest pending result; 0 if the queue does not report it. */
  #resultsAgeMs(): Promise<number> {
    const { now } = this.parts;
    if (this.#age !== null && this.#age.untilMs > now()) return this.#age.ms;
    const ms = this.#readAge();
    this.#age = { untilMs: now() + AGE_KEPT_MS, ms };
    ms.catch(() => {
      this.#age = null;
    });
    return ms;
  }

  async #readAge(): Promise<number> {
    const { queue, config } = this.parts;
    if (!queue.capabilities.observableLag) return 0;
    const names = queuesOf('results', config.push.queue_partition_count);
    const stats = await Promise.all(names.map((name) => queue.stats(name)));
    return Math.max(
      ...stats.map(({ oldestReadyAgeMs, oldestActiveAgeMs }) =>
        Math.max(oldestReadyAgeMs ?? 0, oldestActiveAgeMs ?? 0),
      ),
    );
  }
}
