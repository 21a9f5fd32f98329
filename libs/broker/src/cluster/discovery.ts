export interface DiscoveryOptions {
  readonly maxWaitMs: number;
  /** Silence after which no further answer is expected. */
  readonly idleWaitMs: number;
}

/** Waits for the answers to a roll call, whose number is unknown. */
export class Discovery {
  readonly done: Promise<void>;
  readonly #deadline: NodeJS.Timeout;
  #idle: NodeJS.Timeout;
  #finish: () => void = () => {};
  #isOver = false;

  constructor(private readonly options: DiscoveryOptions) {
    this.done = new Promise((resolve) => (this.#finish = resolve));
    this.#deadline = setTimeout(() => this.end(), options.maxWaitMs);
    this.#idle = setTimeout(() => this.end(), options.idleWaitMs);
  }

  /** Restarts the idle timer after an answer: others may follow. */
  progress(): void {
    if (this.#isOver) return;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.end(), this.options.idleWaitMs);
  }

  /** Idempotent. */
  end(): void {
    this.#isOver = true;
    clearTimeout(this.#deadline);
    clearTimeout(this.#idle);
    this.#finish();
  }
}
