import type { PushStore } from '@carillon/push-store';
import {
  BatchIncomplete,
  JobConflict,
  type NewJob,
  type Queue,
  QueueClient,
  QueueFull,
  QueueUnavailable,
} from '@carillon/queue';
import { sha256 } from '../hash.js';
import { encodeItem, messageIdOf, type NewItem, queueOf } from './items.js';
import type { Secrets } from '../secrets.js';

/** Enqueues work idempotently, where the queue supports deduplication. */
export class Outbox {
  readonly #client: QueueClient;

  constructor(
    private readonly queue: Queue,
    private readonly store: PushStore,
    private readonly secrets: Secrets,
    private readonly queueCount: number,
    private readonly now: () => number,
  ) {
    this.#client = new QueueClient(queue);
  }

  /** Bytes of an item that every queue takes. */
  get maxItemBytes(): number {
    return Math.min(this.queue.limits.maxJobBytes, 200 * 1024);
  }

  /** Whether the queue itself wakes an item up then. */
  canDelay(delayMs: number): boolean {
    return this.queue.capabilities.delayedDelivery && delayMs <= this.queue.limits.maxDelayMs;
  }

  /** Like `put`, also while the queue takes nothing: then the items wait in the store until it does. */
  async hand(items: readonly NewItem[]): Promise<void> {
    try {
      await this.put(items);
    } catch (error) {
      if (!takesNothing(error)) throw error;
      await this.#keep(items);
    }
  }

  /** Resolves when all of it is safe: in the queue, or among the items that wait for their time. */
  async put(items: readonly NewItem[]): Promise<void> {
    const nowMs = this.now();
    const deferred = items.filter((item) => this.#waits(item, nowMs));
    await this.#keep(deferred);
    const byQueue = new Map<string, NewJob[]>();
    for (const item of items) {
      if (deferred.includes(item)) continue;
      const name = queueOf(item, this.queueCount);
      byQueue.set(name, [...(byQueue.get(name) ?? []), this.#job(item, nowMs)]);
    }
    for (const [name, jobs] of byQueue) await this.#enqueue(name, jobs);
  }

  /** An item that has waited long enough. */
  async release({ id, queue, envelope }: { id: string; queue: string; envelope: string }): Promise<void> {
    const data = this.secrets.open(envelope, ['push_deferred_items', id]);
    await this.#enqueue(queue, [{ data, ...this.#identity(id) }]);
  }

  /** Enqueues the item of a dead letter again; while the queue refuses, it is stored like other work. */
  async replay(queue: string, data: string, id: string): Promise<void> {
    try {
      await this.#enqueue(queue, [{ data, ...this.#identity(id) }]);
    } catch (error) {
      if (!takesNothing(error)) throw error;
      const envelope = this.secrets.seal(data, ['push_deferred_items', id]);
      await this.store.putDeferred([{ id, queue, dueMs: this.now(), envelope }]);
    }
  }

  queueOf(item: NewItem): string {
    return queueOf(item, this.queueCount);
  }

  async #keep(items: readonly NewItem[]): Promise<void> {
    if (items.length === 0) return;
    const rows = items.map((item) => {
      const id = messageIdOf(item);
      const envelope = this.secrets.seal(encodeItem(item), ['push_deferred_items', id]);
      return { id, queue: queueOf(item, this.queueCount), dueMs: item.notBeforeMs ?? this.now(), envelope };
    });
    await this.store.putDeferred(rows);
  }

  #waits({ notBeforeMs = 0 }: NewItem, nowMs: number): boolean {
    return notBeforeMs > nowMs && !this.canDelay(notBeforeMs - nowMs);
  }

  #job(item: NewItem, nowMs: number): NewJob {
    const delayMs = Math.max(0, (item.notBeforeMs ?? 0) - nowMs);
    return {
      data: encodeItem(item),
      partitionKey: item.partitionKey,
      ...this.#identity(messageIdOf(item)),
      ...(delayMs > 0 ? { delayMs } : {}),
    };
  }

  #identity(jobId: string): { jobId?: string } {
    return this.queue.capabilities.deduplication ? { jobId } : {};
  }

  async #enqueue(queue: string, jobs: readonly NewJob[]): Promise<void> {
    try {
      await this.#client.emitJobs(queue, jobs);
    } catch (error) {
      if (!(error instanceof JobConflict)) throw error;
      for (const job of jobs) await this.#enqueueOne(queue, job);
    }
  }

  /**
   * An item with the same id and other content (at least another time) is already queued: claims prevent a second
   * send.
   */
  async #enqueueOne(queue: string, job: NewJob): Promise<void> {
    try {
      await this.#client.emitJobs(queue, [job]);
    } catch (error) {
      if (!(error instanceof JobConflict)) throw error;
      const jobId = `${job.jobId ?? ''}#${sha256(job.data).slice(0, 16)}`;
      await this.#client.emitJobs(queue, [{ ...job, jobId }]);
    }
  }
}

/** Whether the queue is unavailable or full, independent of the items. */
const takesNothing = (error: unknown): boolean =>
  error instanceof BatchIncomplete
    ? error.failures.some(({ error: cause }) => takesNothing(cause))
    : error instanceof QueueUnavailable || error instanceof QueueFull;
