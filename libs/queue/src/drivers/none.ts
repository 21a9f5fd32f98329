import type { QueueCapabilities, QueueLimits } from '../capabilities.js';
import { CannotConsume, QueueOptionUnsupported, QueueStopped } from '../failures.js';
import { UNKNOWN_STATS, type DeadLetter, type JobEvent, type Queue, type QueueStats } from '../port.js';

/** No queue: enqueuing rejects; no job is accepted and dropped. */
export class NoQueue implements Queue {
  readonly driver = 'none';
  readonly capabilities: QueueCapabilities = {
    consume: false,
    acknowledgements: false,
    delayedDelivery: false,
    retries: false,
    deadLetter: false,
    deduplication: false,
    leasing: false,
    durable: false,
    batchEnqueue: false,
    fairOwners: false,
    observableLag: false,
    observableAge: false,
  };
  readonly limits: QueueLimits = { maxDelayMs: 0, maxBatchJobs: 0, maxJobBytes: 0, attemptOverride: false };
  readonly queues: ReadonlySet<string> = new Set();
  #closed = false;

  async connect(): Promise<void> {}

  async enqueue(): Promise<string> {
    return this.#refuse();
  }

  async enqueueBatch(): Promise<string[]> {
    return this.#refuse();
  }

  process(): void {
    throw new CannotConsume(this.driver);
  }

  async stats(): Promise<QueueStats> {
    return UNKNOWN_STATS;
  }

  async listDeadLetters(): Promise<readonly DeadLetter[]> {
    return [];
  }

  async replayDeadLetters(): Promise<number> {
    return 0;
  }

  async removeDeadLetters(): Promise<number> {
    return 0;
  }

  async listEvents(): Promise<readonly JobEvent[]> {
    return [];
  }

  async health(): Promise<void> {}

  async drain(): Promise<void> {}

  async close(): Promise<void> {
    this.#closed = true;
  }

  #refuse(): never {
    if (this.#closed) throw new QueueStopped();
    throw new QueueOptionUnsupported(this.driver, 'enqueue');
  }
}
