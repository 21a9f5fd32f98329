import type { FeedbackWorker } from './feedback.js';
import type { Feedback } from './payloads.js';

/** Results of one publish that are applied in one step. */
const MOST_AT_ONCE = 500;

interface Waiting {
  readonly feedback: Feedback;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/** Gathers results that come one by one: while those of a publish are applied, the next wait, and go together. */
export class ResultsLane {
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(private readonly worker: FeedbackWorker) {}

  /** Resolves when the result is applied. */
  add(feedback: Feedback): Promise<void> {
    const name = JSON.stringify([feedback.appId, feedback.publishId]);
    return new Promise((done, failed) => {
      const waiting = this.#waiting.get(name);
      if (waiting !== undefined) {
        waiting.push({ feedback, done, failed });
        return;
      }
      this.#waiting.set(name, [{ feedback, done, failed }]);
      // What came in the same turn goes along.
      setImmediate(() => void this.#run(name));
    });
  }

  async #run(name: string): Promise<void> {
    for (;;) {
      const waiting = this.#waiting.get(name) ?? [];
      if (waiting.length === 0) {
        this.#waiting.delete(name);
        return;
      }
      await this.#apply(waiting.splice(0, MOST_AT_ONCE));
    }
  }

  async #apply(some: readonly Waiting[]): Promise<void> {
    const [first] = some;
    if (first === undefined) return;
    // Two results of one delivery are two steps, which come one after the other.
    const { appId, publishId } = first.feedback;
    const once = [...new Map(some.map((one) => [one.feedback.job.deliveryKey, one])).values()];
    const others = some.filter((one) => !once.includes(one));
    try {
      await this.worker.apply(
        appId,
        publishId,
        once.map(({ feedback }) => feedback),
      );
      for (const one of others) await this.worker.apply(appId, publishId, [one.feedback]);
      for (const { done } of some) done();
    } catch (error) {
      for (const { failed } of some) failed(error);
    }
  }
}
