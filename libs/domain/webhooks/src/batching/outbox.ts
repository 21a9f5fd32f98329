import { queueNames } from '@carillon/contract';
import { BatchIncomplete, QueueStopped, type Queue } from '@carillon/queue';
import { pause, type Logger } from '@carillon/runtime';
import { inLines } from '../lines.js';
import { isPassing } from '../passing.js';
import type { Batch } from './batches.js';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5000;
/** Jobs handed over at once. */
const AT_ONCE = 100;

export interface OutboxParts {
  readonly queue: Pick<Queue, 'enqueueBatch' | 'capabilities'>;
  readonly log: Logger;
  /** Told of each batch that waits no more, and whether the queue has it. */
  readonly onDone: (batch: Batch, isEnqueued: boolean) => void;
}

/**
 * Hands batches to the queue, in order, for as long as it takes: a batch that the queue may have already is offered
 * again under the same id. Only what the queue refuses for good, and what is left when it stops, is lost.
 */
export class Outbox {
  #waiting: Batch[] = [];
  #isRunning = false;

  constructor(private readonly parts: OutboxParts) {}

  /** Batches the queue has not confirmed. */
  get size(): number {
    return this.#waiting.length;
  }

  add(batches: readonly Batch[]): void {
    for (const batch of batches) this.#waiting.push(batch);
    if (!this.#isRunning && this.size > 0) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    let failures = 0;
    let atOnce = AT_ONCE;
    while (this.size > 0) {
      const offered = this.#waiting.slice(0, atOnce);
      try {
        await this.#offer(offered);
        this.#tell(this.#waiting.splice(0, offered.length), true);
        failures = 0;
        atOnce = AT_ONCE;
      } catch (error) {
        if (error instanceof QueueStopped) this.#tell(this.#waiting.splice(0), false);
        else if (isPassing(error)) await this.#later(error, failures++);
        else if (offered.length > 1) atOnce = 1;
        else this.#refused(offered, error);
      }
    }
    this.#isRunning = false;
  }

  async #offer(batches: readonly Batch[]): Promise<void> {
    const { queue } = this.parts;
    const named = queue.capabilities.deduplication;
    const jobs = batches.map(({ id, appId, data, lines }) => ({
      data,
      partitionKey: appId,
      ...(named ? { jobId: id } : {}),
      ...inLines(queue, lines),
    }));
    try {
      await queue.enqueueBatch(queueNames.webhooks, jobs);
    } catch (error) {
      if (error instanceof BatchIncomplete)
        this.#confirmed(batches.filter((_, at) => typeof error.ids[at] === 'string'));
      throw error;
    }
  }

  async #later(error: unknown, failures: number): Promise<void> {
    const { log } = this.parts;
    log.warn('webhooks wait for the queue', { batches: this.size, error, retryable: true });
    await pause(Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS));
  }

  #refused(batches: readonly Batch[], error: unknown): void {
    this.parts.log.error('the queue refused webhooks', { app_id: batches[0]?.appId, error });
    this.#tell(this.#waiting.splice(0, batches.length), false);
  }

  #confirmed(batches: readonly Batch[]): void {
    const done = new Set(batches);
    this.#waiting = this.#waiting.filter((one) => !done.has(one));
    this.#tell(batches, true);
  }

  #tell(batches: readonly Batch[], isEnqueued: boolean): void {
    for (const batch of batches) this.parts.onDone(batch, isEnqueued);
  }
}
