import { setMaxListeners } from 'node:events';

/**
 * Aborts after a time, or when another signal does, until it is released. Not made of `AbortSignal.any` and
 * `AbortSignal.timeout`: nothing holds the second but the first, which holds it weakly, so that it may be collected
 * before its time and then never aborts.
 */
export class Limit {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #end = (): void => {
    this.release();
    this.#controller.abort();
  };

  constructor(
    timeoutMs: number,
    private readonly other: AbortSignal,
  ) {
    this.#timer = setTimeout(this.#end, timeoutMs);
    // One signal may end many requests: that is no leak.
    setMaxListeners(0, other);
    other.addEventListener('abort', this.#end, { once: true });
    if (other.aborted) this.#end();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Releases the limit after the work has ended. */
  release(): void {
    clearTimeout(this.#timer);
    this.other.removeEventListener('abort', this.#end);
  }
}
