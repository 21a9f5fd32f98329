import { QueueStopped, type Queue } from '@carillon/queue';
import type { Logger } from '@carillon/runtime';
import { AppOutbox } from './app-outbox.js';
import type { Batch } from './batches.js';

export interface OutboxParts {
  readonly queue: Pick<Queue, 'enqueueBatch' | 'capabilities'>;
  readonly log: Logger;
  /** Told of each batch that waits no more, and whether the queue has it. */
  readonly onDone: (batch: Batch, isEnqueued: boolean) => void;
}

/**
 * Hands batches to the queue, those of one app in order, for as long as it takes. What an app waits for (its share of the
 * queue is full, the queue refuses what it sends) holds up nobody else.
 */
export class Outbox {
  readonly #apps = new Map<string, AppOutbox>();
  /** Apps that wait for the queue. */
  readonly #troubled = new Set<string>();

  constructor(private readonly parts: OutboxParts) {}

  /** Batches the queue has not confirmed. */
  get size(): number {
    let size = 0;
    for (const app of this.#apps.values()) size += app.size;
    return size;
  }

  add(batches: readonly Batch[]): void {
    for (const batch of batches) this.#of(batch.appId).add(batch);
  }

  #of(appId: string): AppOutbox {
    const known = this.#apps.get(appId);
    if (known !== undefined) return known;
    const { queue, onDone } = this.parts;
    const created: AppOutbox = new AppOutbox({
      queue,
      onDone,
      onTrouble: (error) => this.#trouble(appId, error),
      onRefused: (error) => this.parts.log.error('the queue refused webhooks', { app_id: appId, error }),
      onEmpty: () => {
        this.#apps.delete(appId);
        this.#troubled.delete(appId);
      },
    });
    this.#apps.set(appId, created);
    return created;
  }

  /** Said once, until all who wait have been served: an outage is everybody's. */
  #trouble(appId: string, error: unknown): void {
    const isFirst = this.#troubled.size === 0;
    this.#troubled.add(appId);
    if (!isFirst || error instanceof QueueStopped) return;
    this.parts.log.warn('webhooks wait for the queue', {
      app_id: appId,
      batches: this.size,
      error,
      retryable: true,
    });
  }
}
