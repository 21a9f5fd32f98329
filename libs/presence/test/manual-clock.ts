import type { PresenceClock } from '../src/index.js';

/** Time that goes by when told to. */
export class ManualClock implements PresenceClock {
  #nowMs = 0;
  /** By order of setting. */
  readonly #timers = new Map<number, { readonly atMs: number; readonly run: () => void }>();
  #set = 0;

  /** How many timers are set now. */
  get timers(): number {
    return this.#timers.size;
  }

  /** How many timers were ever set. */
  get timersSet(): number {
    return this.#set;
  }

  now(): number {
    return this.#nowMs;
  }

  after(delayMs: number, run: () => void): () => void {
    const order = this.#set++;
    this.#timers.set(order, { atMs: this.#nowMs + delayMs, run });
    return () => this.#timers.delete(order);
  }

  advance(ms: number): void {
    const untilMs = this.#nowMs + ms;
    while (this.runNext(untilMs));
    this.#nowMs = untilMs;
  }

  /** Runs the first timer that is due by then; false: there is none. */
  runNext(untilMs = this.#nowMs): boolean {
    const due = [...this.#timers].filter(([, { atMs }]) => atMs <= untilMs);
    const [first] = due.sort(([order, one], [other, next]) => one.atMs - next.atMs || order - other);
    if (first === undefined) return false;
    const [order, { atMs, run }] = first;
    this.#timers.delete(order);
    this.#nowMs = atMs;
    run();
    return true;
  }
}
