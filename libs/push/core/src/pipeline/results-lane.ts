import type { FeedbackWorker } from './feedback.js';
import { Gathering } from './gathering.js';
import type { Feedback } from './payloads.js';

/** Applies results that come one by one: those of a publish go together. */
export class ResultsLane {
  readonly #gathering = new Gathering<Feedback>(
    ({ appId, publishId }) => JSON.stringify([appId, publishId]),
    (some) => this.#apply(some),
  );

  constructor(private readonly worker: FeedbackWorker) {}

  /** Resolves when all of the results are applied. */
  async add(results: readonly Feedback[]): Promise<void> {
    await Promise.all(results.map((one) => this.#gathering.add(one)));
  }

  async #apply(some: readonly Feedback[]): Promise<void> {
    const [first] = some;
    if (first === undefined) return;
    // Two results of one delivery are two steps, which come one after the other.
    const { appId, publishId } = first;
    const once = new Set(new Map(some.map((one) => [one.job.deliveryKey, one])).values());
    await this.worker.apply(appId, publishId, [...once]);
    for (const one of some) if (!once.has(one)) await this.worker.apply(appId, publishId, [one]);
  }
}
