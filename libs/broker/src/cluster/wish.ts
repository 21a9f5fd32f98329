interface Waiting {
  readonly confirmed: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
  timer: NodeJS.Timeout;
}

/** How long a confirmation is waited for. */
export interface Patience {
  /** The longest time without progress. */
  readonly timeoutMs: number;
  /** When the broker last confirmed something, of whatever address, on the clock of `performance.now`. */
  readonly progressAtMs: () => number;
  readonly onTimeout: () => void;
}

/** A wait ends after so many timeouts, whatever the progress. */
const LONGEST_WAIT = 10;

/** What is wanted of the broker under one address. */
export class Wish {
  /** Since when messages do not come; null: they do. */
  missingSinceMs: number | null = performance.now();
  /** Ends a wish that nobody has any more; null: somebody has it. */
  linger: NodeJS.Timeout | null = null;
  #waiting: Waiting | null = null;

  /** @param isEssential kept whatever happens; others are given up when the broker refuses them */
  constructor(
    readonly address: string,
    readonly isEssential: boolean,
  ) {}

  get isMissing(): boolean {
    return this.missingSinceMs !== null;
  }

  /** Settles with the next `tell`; rejects when the broker makes no progress, or after ten timeouts. */
  wait(patience: Patience): Promise<void> {
    this.#waiting ??= this.#begin(patience);
    return this.#waiting.confirmed;
  }

  /** Ends the wait of those who wait; null: they get what they wanted. */
  tell(failure: Error | null): void {
    const waiting = this.#waiting;
    if (waiting === null) return;
    this.#waiting = null;
    clearTimeout(waiting.timer);
    if (failure === null) waiting.resolve();
    else waiting.reject(failure);
  }

  /** Somebody has it again, or it is over. */
  stopLingering(): void {
    if (this.linger !== null) clearTimeout(this.linger);
    this.linger = null;
  }

  #begin(patience: Patience): Waiting {
    let settle: Pick<Waiting, 'resolve' | 'reject'> = { resolve: () => {}, reject: () => {} };
    const confirmed = new Promise<void>((resolve, reject) => (settle = { resolve, reject }));
    const sinceMs = performance.now();
    const timer = setTimeout(() => this.#check(patience, sinceMs), patience.timeoutMs);
    return { confirmed, timer, ...settle };
  }

  /** A queue that moves is no reason to give up, only a broker that stands still. */
  #check(patience: Patience, sinceMs: number, isPolled = false): void {
    const { timeoutMs, progressAtMs } = patience;
    const progressedMs = Math.max(sinceMs, progressAtMs());
    const dueMs = Math.min(progressedMs + timeoutMs, sinceMs + LONGEST_WAIT * timeoutMs);
    const leftMs = Math.ceil(dueMs - performance.now());
    const waiting = this.#waiting;
    if (waiting === null) return;
    if (leftMs > 0) waiting.timer = setTimeout(() => this.#check(patience, sinceMs), leftMs);
    // After a turn that took long, timers are due before what the broker has sent meanwhile is read.
    else if (isPolled) this.#giveUp(patience);
    else setImmediate(() => this.#waiting === waiting && this.#check(patience, sinceMs, true));
  }

  #giveUp({ timeoutMs, onTimeout }: Patience): void {
    onTimeout();
    this.tell(new Error(`interest not confirmed by the broker in ${timeoutMs} ms`));
  }
}
