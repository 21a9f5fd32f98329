import { Refused } from '../../cluster/wire.js';

interface Promised {
  readonly promise: Promise<void>;
  readonly settle: (failure: Error | null) => void;
}

/** One ping, shared by all callers that wait for its answer. */
export class BrokerQuestion {
  readonly sinceMs = performance.now();
  // Created on demand: a rejected promise needs a handler.
  #answered: Promised | null = null;
  #taken: Promised | null = null;
  #refused: Set<string> | null = null;

  /** Settles with the answer. */
  get answered(): Promise<void> {
    this.#answered ??= promised();
    return this.#answered.promise;
  }

  /** Like `answered`, but rejects with `Refused` if the broker refused some of the messages before the ping. */
  get taken(): Promise<void> {
    this.#taken ??= promised();
    return this.#taken.promise;
  }

  /** Records a refused address. */
  refuse(address: string): void {
    this.#refused ??= new Set();
    this.#refused.add(address);
  }

  /** @param failure why there is no answer; null: there is */
  settle(failure: Error | null): void {
    this.#answered?.settle(failure);
    this.#taken?.settle(failure ?? (this.#refused === null ? null : new Refused(this.#refused)));
  }
}

function promised(): Promised {
  let told: Pick<Promised, 'settle'> = { settle: () => {} };
  const promise = new Promise<void>((resolve, reject) => {
    told = { settle: (failure) => (failure === null ? resolve() : reject(failure)) };
  });
  return { promise, settle: told.settle };
}
