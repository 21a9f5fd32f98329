import { PushStoreUnavailable } from '@carillon/push-store';
import type { Job } from '@carillon/queue';
import { pause } from '@carillon/runtime';
import type { PushParts } from '../parts.js';
import type { Outbox } from './outbox.js';
import type { DeliveryBatch } from './payloads.js';
import { type BatchResults, resultItems } from './result-items.js';

const REPEAT_MS = 500;
/** Cache time of the consumers' capabilities. */
const LOOKUP_MS = 5000;

/** Stage that workers announce if they read several results from one queue item. */
export const READS_RESULT_BATCHES = 'feedback-batches';

/** Writes results of deliveries to the queue of results. */
export class ResultWriter {
  #lookup: { readonly untilMs: number; readonly batches: Promise<boolean> } | null = null;

  constructor(
    private readonly parts: PushParts,
    private readonly outbox: Outbox,
  ) {}

  /** Repeats the write until the lease ends if the store is unavailable: a delivery whose result is lost is sent again. */
  async write(
    batch: DeliveryBatch,
    results: BatchResults,
    { signal, leaseMs }: Pick<Job, 'signal'> & { readonly leaseMs: number },
  ): Promise<void> {
    const { config, now } = this.parts;
    const maxBatchBytes =
      results.length > 1 && (await this.#readsBatches()) ? this.outbox.maxItemBytes : null;
    const items = resultItems(batch, results, { nowMs: now(), dryRun: config.push.dry_run, maxBatchBytes });
    this.#count(batch, results);
    for (const untilMs = now() + leaseMs; ;) {
      try {
        return await this.outbox.hand(items);
      } catch (error) {
        const isOver = signal.aborted || now() >= untilMs;
        if (isOver || !(error instanceof PushStoreUnavailable)) throw error;
      }
      await pause(REPEAT_MS, signal);
    }
  }

  #count({ provider, appId: app }: DeliveryBatch, results: BatchResults): void {
    const counts = new Map<string, number>();
    for (const [, { outcome }] of results) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
    const dispatched = this.parts.metrics.counter('push_dispatched_total');
    for (const [status, count] of counts) dispatched.for({ provider, status, app }).add(count);
  }

  /**
   * Whether every live feedback worker reads several results from one item: during a rollout those of the previous release
   * do not. False if the store is unavailable.
   */
  #readsBatches(): Promise<boolean> {
    const { store, now } = this.parts;
    if (this.#lookup !== null && this.#lookup.untilMs > now()) return this.#lookup.batches;
    const batches = store.workers(now()).then(
      (workers) => {
        const consumers = workers.filter(({ stages }) => stages.includes('feedback'));
        return consumers.length > 0 && consumers.every(({ stages }) => stages.includes(READS_RESULT_BATCHES));
      },
      () => false,
    );
    this.#lookup = { untilMs: now() + LOOKUP_MS, batches };
    return batches;
  }
}
