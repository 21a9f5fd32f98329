import type { Config } from '@carillon/config';
import type { Metrics } from '@carillon/runtime';
import type { Hubs } from '../apps/hubs.js';
import { cleanupMeters } from '../metrics.js';
import { cleanupOptions } from '../settings.js';
import type { Subscriber } from '../subscriber/subscriber.js';
import { CleanupQueue } from './cleanup-queue.js';
import type { Leaving } from './leaving.js';

/** Cleans up after closed connections. */
export class Cleanup {
  readonly #queue: CleanupQueue<Subscriber>;

  constructor(
    config: Config,
    metrics: Metrics,
    hubs: Hubs,
    leaving: Leaving,
    onTrouble: (what: string, error: unknown) => void,
  ) {
    const { fallbacks, failures } = cleanupMeters(metrics, () => this.#queue.size);
    this.#queue = new CleanupQueue(
      cleanupOptions(config),
      async (subscriber) => {
        await leaving.everything(subscriber);
        hubs.release(subscriber.hub);
      },
      {
        lost: (error) => {
          failures.add();
          onTrouble('cleanup', error);
        },
        full: () => fallbacks.add(),
      },
    );
  }

  add(subscriber: Subscriber): void {
    this.#queue.add(subscriber);
  }

  /** Resolves when no cleanup is pending. */
  empty(): Promise<void> {
    return this.#queue.empty();
  }
}
