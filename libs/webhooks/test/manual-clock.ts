import type { Clock } from '../src/clock.js';

/** Clock that advances on request. */
export class ManualClock implements Clock {
  readonly #timers = new Set<{ readonly atMs: number; readonly run: () => void }>();
  #nowMs = 0;

  now(): number {
    return this.#nowMs;
  }

  after(delayMs: number, run: () => void): () => void {
    const timer = { atMs: this.#nowMs + delayMs, run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  get timers(): number {
    return this.#timers.size;
  }

  /** Advances time and runs due timers with their effects. */
  async pass(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms;
    for (;;) {
      const due = [...this.#timers].filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs)[0];
      if (due === undefined) break;
      this.#timers.delete(due);
      this.#nowMs = Math.max(this.#nowMs, due.atMs);
      due.run();
      await turn();
    }
    this.#nowMs = untilMs;
    await turn();
  }
}

/** Lets promises and immediates that are ready run on. */
export async function turn(): Promise<void> {
  for (let turns = 0; turns < 3; turns += 1) await new Promise((next) => void setImmediate(next));
}
