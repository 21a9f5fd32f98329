import { queueNames } from '@carillon/contracts';
import { BatchIncomplete, JobConflict, type Queue, QueueClient, QueueStopped } from '@carillon/queue';
import { pause } from '@carillon/runtime';
import { traced } from '@carillon/tracing';
import { isPassing } from '../passing.js';
import type { Batch } from './batches.js';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5000;
/** Jobs handed over at once. */
const AT_ONCE = 100;

export interface AppOutboxParts {
  readonly queue: Pick<Queue, 'enqueueBatch' | 'capabilities'>;
  readonly onDone: (batch: Batch, isEnqueued: boolean) => void;
  /** The queue cannot take anything now; it is asked again. */
  readonly onTrouble: (error: unknown) => void;
  /** The queue will never take one batch. */
  readonly onRefused: (error: unknown) => void;
  readonly onEmpty: () => void;
}

/**
 * Batches of one app on their way to the queue, in order. A batch that the queue may already have is sent again under
 * the same id. Only batches that the queue refuses for good, and those left at the stop, are lost.
 */
export class AppOutbox {
  #waiting: Batch[] = [];
  #isRunning = false;
  readonly #client: QueueClient;

  constructor(private readonly parts: AppOutboxParts) {
    this.#client = new QueueClient(parts.queue);
  }

  get size(): number {
    return this.#waiting.length;
  }

  add(batch: Batch): void {
    this.#waiting.push(batch);
    if (this.#isRunning) return;
    this.#isRunning = true;
    // Batches of one event-loop turn are enqueued together.
    queueMicrotask(() => void this.#run());
  }

  async #run(): Promise<void> {
    let failures = 0;
    let atOnce = AT_ONCE;
    while (this.size > 0) {
      const offered = this.#waiting.slice(0, atOnce);
      try {
        await this.#offer(offered);
        this.#tell(this.#waiting.splice(0, offered.length), true);
        failures = 0;
        atOnce = Math.min(atOnce * 2, AT_ONCE);
      } catch (error) {
        if (error instanceof QueueStopped) this.#tell(this.#waiting.splice(0), false);
        else if (isPassing(error)) {
          // There may be room for some, and not for all at once.
          atOnce = Math.max(1, Math.floor(offered.length / 2));
          await this.#later(error, failures++);
        } else if (offered.length > 1) atOnce = 1;
        // Another process has sent it.
        else if (error instanceof JobConflict) this.#tell(this.#waiting.splice(0, 1), true);
        else this.#refused(offered, error);
      }
    }
    this.#isRunning = false;
    this.parts.onEmpty();
  }

  async #offer(batches: readonly Batch[]): Promise<void> {
    const { queue } = this.parts;
    const named = queue.capabilities.deduplication;
    const jobs = batches.map(({ id, appId, data }) => ({
      data,
      partitionKey: appId,
      ...(named ? { jobId: id } : {}),
    }));
    try {
      await traced(
        () => ({ name: 'enqueue webhooks', kind: 'producer', parent: batches[0]?.trace }),
        () => this.#client.emitJobs(queueNames.webhooks, jobs),
      );
    } catch (error) {
      if (error instanceof BatchIncomplete)
        this.#confirmed(batches.filter((_, at) => typeof error.ids[at] === 'string'));
      throw error;
    }
  }

  async #later(error: unknown, failures: number): Promise<void> {
    this.parts.onTrouble(error);
    await pause(Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS));
  }

  #refused(batches: readonly Batch[], error: unknown): void {
    this.parts.onRefused(error);
    for (const { settle } of batches) settle();
    this.#tell(this.#waiting.splice(0, batches.length), false);
  }

  #confirmed(batches: readonly Batch[]): void {
    const done = new Set(batches);
    this.#waiting = this.#waiting.filter((one) => !done.has(one));
    this.#tell(batches, true);
  }

  #tell(batches: readonly Batch[], isEnqueued: boolean): void {
    for (const batch of batches) {
      if (isEnqueued) batch.settle();
      this.parts.onDone(batch, isEnqueued);
    }
  }
}
