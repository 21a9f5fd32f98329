/** Lets so many pass at a time and so many wait; whoever comes beyond that is turned away. */
export class Turnstile {
  #inside = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(
    private readonly maxInside: number,
    private readonly maxWaiting: number,
  ) {}

  /** Runs the work when its turn has come; null: there is no room to wait. */
  async pass<Value>(work: () => Promise<Value>): Promise<Value | null> {
    if (this.#inside >= this.maxInside) {
      if (this.#waiting.length >= this.maxWaiting) return null;
      // Whoever leaves hands its place over, so that nobody slips in between.
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else this.#inside += 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#inside -= 1;
      else next();
    }
  }
}
