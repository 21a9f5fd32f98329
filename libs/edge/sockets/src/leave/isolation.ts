/** How long a process may be cut off from the others before its clients are better served elsewhere. */
const CUT_OFF_MS = 10_000;

/** What ending an isolation works with. */
export interface IsolationParts {
  /** Calls back after so long, unless the answer is called before. */
  readonly after: (ms: number, then: () => void) => () => void;
  /** Closes all connections, so that they come back, until the signal says that it need not go on. Never rejects. */
  readonly closeAll: (isOver: AbortSignal) => Promise<void>;
}

/**
 * A process that cannot reach the others for 10 s sends its clients away, and lets none in until it reaches them
 * again: what is published elsewhere does not come here.
 */
export class Isolation {
  #isLong = false;
  #over: AbortController | null = null;

  constructor(private readonly parts: IsolationParts) {}

  /** Whether nobody is let in. */
  get isLong(): boolean {
    return this.#isLong;
  }

  /** The others are out of reach, and have been for so long. */
  begin(sinceMs: number): void {
    if (this.#over !== null) return;
    const over = new AbortController();
    this.#over = over;
    const cancel = this.parts.after(Math.max(0, CUT_OFF_MS - sinceMs), () => {
      this.#isLong = true;
      void this.parts.closeAll(over.signal);
    });
    over.signal.addEventListener('abort', cancel, { once: true });
  }

  /** They are in reach again, or this process ends by itself. Who was not sent away yet stays. */
  end(): void {
    this.#isLong = false;
    this.#over?.abort();
    this.#over = null;
  }
}
