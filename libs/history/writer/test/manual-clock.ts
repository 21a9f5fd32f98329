import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../src/index.js';

/** Clock that advances on request. */
export class ManualClock implements Clock {
  #ms = 0;
  #timers: { readonly atMs: number; readonly run: () => void }[] = [];

  now(): number {
    return 1_760_000_000_000 + this.#ms;
  }

  elapsed(): number {
    return this.#ms;
  }

  after(delayMs: number, run: () => void): () => void {
    const timer = { atMs: this.#ms + delayMs, run };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((one) => one !== timer);
    };
  }

  /** Advances time and runs due timers with their effects, one by one. */
  async pass(ms: number): Promise<void> {
    const untilMs = this.#ms + ms;
    await settled();
    for (;;) {
      const due = this.#timers.filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs)[0];
      if (due === undefined) break;
      this.#timers = this.#timers.filter((one) => one !== due);
      this.#ms = Math.max(this.#ms, due.atMs);
      due.run();
      await settled();
    }
    this.#ms = untilMs;
  }
}

/** Lets everything happen that needs no time. */
export async function settled(): Promise<void> {
  for (let turns = 0; turns < 20; turns += 1) await turn();
}
