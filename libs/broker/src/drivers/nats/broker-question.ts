import { Refused } from '../../cluster/wire.js';

interface Promised {
  readonly promise: Promise<void>;
  readonly settle: (failure: Error | null) => void;
}

/** One question to the broker, and what all have in common who wait for its answer. */
export class BrokerQuestion {
  readonly sinceMs = performance.now();
  // Made when somebody asks for them: a promise that rejects must be somebody's.
  #answered: Promised | null = null;
  #taken: Promised | null = null;
  #refused: Set<string> | null = null;

  /** Settles with the answer. */
  get answered(): Promise<void> {
    this.#answered ??= promised();
    return this.#answered.promise;
  }

  /** The same, but rejects with `Refused` where the broker took only a part of what was sent before the question. */
  get taken(): Promise<void> {
    this.#taken ??= promised();
    return this.#taken.promise;
  }

  /** The broker did not take what was sent to this address. */
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
