export interface DiscoveryOptions {
  readonly maxWaitMs: number;
  /** Silence after which nobody else is expected to answer. */
  readonly idleWaitMs: number;
}

/** The wait for those who answer a roll call, of whom nobody knows how many they are. */
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

  /** Somebody answered, so others may be about to. */
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
