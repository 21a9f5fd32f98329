import type { PresenceClock } from '@carillon/presence';
import { vi } from 'vitest';

/** Between two looks at the clock, so that nothing happens at the same time as anything else. */
const TICK_MS = 0.000_1;

/** A manual clock for the whole process. */
export class ManualClock implements PresenceClock {
  #nowMs = 1000;
  readonly #timers = new Set<{ readonly atMs: number; readonly run: () => void }>();

  /** Stops the timers of the process; sockets and promises continue. */
  stop(): void {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    vi.spyOn(performance, 'now').mockImplementation(() => this.now());
  }

  restore(): void {
    vi.restoreAllMocks();
    vi.useRealTimers();
  }

  now(): number {
    this.#nowMs += TICK_MS;
    return this.#nowMs;
  }

  after(delayMs: number, run: () => void): () => void {
    const timer = { atMs: this.#nowMs + delayMs, run };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  wait(ms: number): void {
    this.#nowMs += ms;
    for (const timer of this.#timers) {
      if (timer.atMs > this.#nowMs) continue;
      this.#timers.delete(timer);
      timer.run();
    }
    vi.advanceTimersByTime(ms);
  }
}
