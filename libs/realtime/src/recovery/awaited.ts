import type { Recovered, RecoveryFailure } from '@carillon/protocol';

/** Result of the recovery of one channel. */
export type Outcome =
  | { readonly kind: 'recovered'; readonly recovered: Recovered }
  | { readonly kind: 'failed'; readonly failure: RecoveryFailure };

/**
 * One channel of a resume sent directly after its subscribe: the resume waits for the subscription, and includes its
 * result in the response.
 */
export class Awaited {
  /** Null: the position waits for a subscription that has not arrived yet. */
  readonly outcome: Promise<Outcome | null>;
  #resolve: ((outcome: Outcome | null) => void) | null = null;

  constructor(
    /** Settles when the resume is answered. */
    readonly isAnswered: Promise<void>,
  ) {
    this.outcome = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** Returns false if it is no longer awaited. */
  settle(outcome: Outcome | null): boolean {
    if (this.#resolve === null) return false;
    this.#resolve(outcome);
    this.#resolve = null;
    return true;
  }
}

/** Time the subscribed channels of a resume wait for those whose subscriptions are pending. */
const PATIENCE_MS = 1000;

/** Returns the results; those that take longer are reported individually. */
export async function outcomesOf(awaited: readonly Awaited[]): Promise<readonly Outcome[]> {
  const timer = setTimeout(() => {
    for (const one of awaited) one.settle(null);
  }, PATIENCE_MS).unref();
  const outcomes = await Promise.all(awaited.map(({ outcome }) => outcome));
  clearTimeout(timer);
  return outcomes.filter((outcome) => outcome !== null);
}
