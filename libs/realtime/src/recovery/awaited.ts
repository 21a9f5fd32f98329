import type { Recovered, RecoveryFailure } from '@carillon/protocol';

/** What came of the position of one channel. */
export type Outcome =
  | { readonly kind: 'recovered'; readonly recovered: Recovered }
  | { readonly kind: 'failed'; readonly failure: RecoveryFailure };

/** One channel of a resume that came right behind its subscribe: the resume waits for that, and answers it with the rest. */
export class Awaited {
  /** Null: the position waits for a subscription that is still to come. */
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

  /** False: it is not waited for any more. */
  settle(outcome: Outcome | null): boolean {
    if (this.#resolve === null) return false;
    this.#resolve(outcome);
    this.#resolve = null;
    return true;
  }
}

/** How long the channels of a resume that are subscribed to wait for those that are about to be. */
const PATIENCE_MS = 1000;

/** What became of them: those that it takes longer for are told of by themselves. */
export async function outcomesOf(awaited: readonly Awaited[]): Promise<readonly Outcome[]> {
  const timer = setTimeout(() => {
    for (const one of awaited) one.settle(null);
  }, PATIENCE_MS).unref();
  const outcomes = await Promise.all(awaited.map(({ outcome }) => outcome));
  clearTimeout(timer);
  return outcomes.filter((outcome) => outcome !== null);
}
