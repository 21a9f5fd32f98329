interface Waiting {
  readonly confirmed: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

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

  /** Settles with the next `tell`, or rejects when that takes too long. */
  wait(timeoutMs: number, onTimeout: () => void): Promise<void> {
    this.#waiting ??= this.#begin(timeoutMs, onTimeout);
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

  #begin(timeoutMs: number, onTimeout: () => void): Waiting {
    const timer = setTimeout(() => {
      onTimeout();
      this.tell(new Error(`interest not confirmed by the broker in ${timeoutMs} ms`));
    }, timeoutMs);
    let settle: Pick<Waiting, 'resolve' | 'reject'> = { resolve: () => {}, reject: () => {} };
    const confirmed = new Promise<void>((resolve, reject) => (settle = { resolve, reject }));
    return { confirmed, timer, ...settle };
  }
}
