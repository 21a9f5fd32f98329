import type { PresenceClock } from '../src/index.js';

/** Clock that advances on request. */
export class ManualClock implements PresenceClock {
  #nowMs = 0;
  /** In order of creation. */
  readonly #timers = new Map<number, { readonly atMs: number; readonly run: () => void }>();
  #set = 0;

  /** Number of pending timers. */
  get timers(): number {
    return this.#timers.size;
  }

  /** Number of timers ever created. */
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

  /** Runs the first timer due by then; returns false if there is none. */
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
