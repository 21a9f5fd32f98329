import { setImmediate as nextTurn } from 'node:timers/promises';

/** Longest run without giving the event loop a turn. The bound promised to operators is 5 ms. */
const SLICE_MS = 3;
/** Steps between two looks at the clock. */
const STEPS = 32;

/** Divides long loops into slices, each in a turn of the event loop. */
export class Slices {
  #steps = 0;
  #startMs: number;

  constructor(private readonly nowMs: () => number = () => performance.now()) {
    this.#startMs = nowMs();
  }

  /** Counts one step. The promise, if there is one, must be awaited before the next step. */
  step(): Promise<void> | undefined {
    this.#steps += 1;
    if (this.#steps % STEPS !== 0 || this.nowMs() - this.#startMs < SLICE_MS) return undefined;
    return this.#yield();
  }

  async #yield(): Promise<void> {
    await nextTurn();
    this.#startMs = this.nowMs();
  }
}
