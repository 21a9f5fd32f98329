import type { Clock } from '../connection/clock.js';

/** The service answers a request within seconds, or its connection is lost; a lost answer must not hold others up. */
const ANSWER_MS = 10_000;

/** Limits how many requests of all channels are unanswered at a time: an unpaced burst overflows the server's queue. */
export class Pacer {
  #active = 0;
  readonly #waiting = new Set<() => void>();

  constructor(
    private readonly most: number,
    private readonly clock: Clock,
  ) {}

  /**
   * Runs the request now, or when another one completes. Returns a function to call when the request was answered or
   * is no longer wanted.
   */
  run(request: () => void): () => void {
    let stop: (() => void) | null = null;
    let isDone = false;
    const begin = (): void => {
      this.#active += 1;
      stop = this.clock.after(ANSWER_MS, done);
      request();
    };
    const done = (): void => {
      if (isDone) return;
      isDone = true;
      stop?.();
      if (this.#waiting.delete(begin)) return;
      this.#active -= 1;
      this.#next();
    };
    if (this.#active < this.most) begin();
    else this.#waiting.add(begin);
    return done;
  }

  #next(): void {
    for (const begin of this.#waiting) {
      if (this.#active >= this.most) return;
      this.#waiting.delete(begin);
      begin();
    }
  }
}
