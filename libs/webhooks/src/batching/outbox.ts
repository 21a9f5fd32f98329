import { QueueStopped, type Queue } from '@carillon/queue';
import type { Logger } from '@carillon/runtime';
import { AppOutbox } from './app-outbox.js';
import type { Batch } from './batches.js';

export interface OutboxParts {
  readonly queue: Pick<Queue, 'enqueueBatch' | 'capabilities'>;
  readonly log: Logger;
  /** Called with each batch that has left, and whether it is in the queue. */
  readonly onDone: (batch: Batch, isEnqueued: boolean) => void;
}

/**
 * Passes batches to the queue, those of one app in order, with retries. An app that is blocked (its share of the
 * queue is full, the queue refuses its batches) blocks no other app.
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

  /** Logged once, until all waiting apps have been served: an outage affects all. */
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
