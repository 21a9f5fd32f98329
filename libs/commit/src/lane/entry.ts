import type { CommitResult } from '@carillon/contract';
import type { Arrival } from '../evaluate/arrival.js';

/** A record that waits for its commit, and everybody who waits for its result. */
export class Entry {
  readonly done: Promise<CommitResult>;
  #resolve: (result: CommitResult) => void = () => {};

  constructor(
    readonly arrival: Arrival,
    /** On the monotonic clock. */
    readonly arrivedMs: number,
    /** On the monotonic clock: nothing is begun for it from then on. */
    public deadlineMs: number,
  ) {
    this.done = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  get pubId(): string {
    return this.arrival.record.pub_id;
  }

  answer(result: CommitResult): void {
    this.#resolve(result);
  }
}
