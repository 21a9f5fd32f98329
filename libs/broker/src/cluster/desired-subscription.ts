interface Waiting {
  readonly confirmed: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
  timer: NodeJS.Timeout;
}

/** Limits of the wait for a confirmation. */
export interface Patience {
  /** The longest time without progress. */
  readonly timeoutMs: number;
  /** Time of the last confirmation of any address, by `performance.now`. */
  readonly progressAtMs: () => number;
  readonly onTimeout: () => void;
}

/** A wait ends after this number of timeouts, even with progress. */
const LONGEST_WAIT = 10;

/** Desired subscription to one address. */
export class DesiredSubscription {
  /** Since when messages do not come; null: they do. */
  missingSinceMs: number | null = performance.now();
  /** Timer that ends a released subscription; null: it is in use. */
  linger: NodeJS.Timeout | null = null;
  /** Whether the broker has confirmed it before. */
  wasConfirmed = false;
  /** Requests it again later, since it may be the cause of lost sessions; null: nothing is planned. */
  retry: NodeJS.Timeout | null = null;
  #waiting: Waiting | null = null;

  /** @param isEssential never given up; others are dropped when the broker refuses them */
  constructor(
    readonly address: string,
    readonly isEssential: boolean,
  ) {}

  get isMissing(): boolean {
    return this.missingSinceMs !== null;
  }

  /** Whether a caller waits for the confirmation. */
  get isAwaited(): boolean {
    return this.#waiting !== null;
  }

  /** Settles with the next `tell`; rejects when the broker makes no progress, or after ten timeouts. */
  wait(patience: Patience): Promise<void> {
    this.#waiting ??= this.#begin(patience);
    return this.#waiting.confirmed;
  }

  /** Settles the pending waits: with the failure, or null if confirmed. */
  tell(failure: Error | null): void {
    const waiting = this.#waiting;
    if (waiting === null) return;
    this.#waiting = null;
    clearTimeout(waiting.timer);
    if (failure === null) waiting.resolve();
    else waiting.reject(failure);
  }

  stopRetrying(): void {
    if (this.retry !== null) clearTimeout(this.retry);
    this.retry = null;
  }

  /** Cancels the linger timer. */
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

  /** Gives up if the broker confirms nothing at all; a slow queue with progress is no reason. */
  #check(patience: Patience, sinceMs: number, isPolled = false): void {
    const { timeoutMs, progressAtMs } = patience;
    const progressedMs = Math.max(sinceMs, progressAtMs());
    const dueMs = Math.min(progressedMs + timeoutMs, sinceMs + LONGEST_WAIT * timeoutMs);
    const leftMs = Math.ceil(dueMs - performance.now());
    const waiting = this.#waiting;
    if (waiting === null) return;
    if (leftMs > 0) waiting.timer = setTimeout(() => this.#check(patience, sinceMs), leftMs);
    // After a long event-loop turn, timers fire before data of the broker that already arrived is read.
    else if (isPolled) this.#giveUp(patience);
    else setImmediate(() => this.#waiting === waiting && this.#check(patience, sinceMs, true));
  }

  #giveUp({ timeoutMs, onTimeout }: Patience): void {
    onTimeout();
    this.tell(new Error(`interest not confirmed by the broker in ${timeoutMs} ms`));
  }
}
