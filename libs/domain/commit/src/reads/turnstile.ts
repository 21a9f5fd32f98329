import type { Clock } from '../clock.js';

export interface TurnstileOptions {
  readonly maxInside: number;
  readonly maxWaiting: number;
  /** Whoever has waited longer is turned away: nobody is interested any more. */
  readonly maxWaitMs: number;
}

/** Lets so many pass at a time and so many wait for a while; whoever comes beyond that is turned away. */
export class Turnstile {
  #inside = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(
    private readonly clock: Pick<Clock, 'elapsed'>,
    private readonly options: TurnstileOptions,
  ) {}

  /** Runs the work when its turn has come; null: there is no room to wait, or it took too long. */
  async pass<Value>(work: () => Promise<Value>): Promise<Value | null> {
    const { maxInside, maxWaiting, maxWaitMs } = this.options;
    const cameMs = this.clock.elapsed();
    if (this.#inside >= maxInside) {
      if (this.#waiting.length >= maxWaiting) return null;
      // Whoever leaves hands its place over, so that nobody slips in between.
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else this.#inside += 1;
    try {
      return this.clock.elapsed() - cameMs > maxWaitMs ? null : await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#inside -= 1;
      else next();
    }
  }
}
