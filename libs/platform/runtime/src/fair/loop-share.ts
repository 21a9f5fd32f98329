import { FairQueue } from '@carillon/collections';

export interface LoopShareOptions {
  /** The part of the time that the work may take, above 0 and at most 1. */
  readonly part: number;
  /** Work that may be done in one go after a time without any. */
  readonly burstMs: number;
}

/** The timers of a share. */
export interface LoopClock {
  now(): number;
  /** Calls back in a later turn of the event loop, not before the delay is over. */
  after(delayMs: number, run: () => void): void;
}

const CLOCK: LoopClock = {
  now: () => performance.now(),
  after: (delayMs, run) => void (delayMs > 0 ? setTimeout(run, delayMs) : setImmediate(run)),
};

const DEFAULTS: LoopShareOptions = { part: 0.4, burstMs: 4 };

/**
 * Limits the part of the event loop that deferrable work takes (token bucket of milliseconds): replays, pages of a
 * history, filters beyond their budget. The work is divided into short pieces; before each it awaits `turn`, after it
 * reports its time. Apps that wait take turns, and one piece of those that wait runs in one turn of the loop.
 * A piece that need not wait must begin in the same step as `turn` was called, or many begin on the same budget.
 */
export class LoopShare {
  readonly #waiting = new FairQueue<() => void>();
  #budgetMs: number;
  #atMs: number;
  #isScheduled = false;

  constructor(
    private readonly options: LoopShareOptions = DEFAULTS,
    private readonly clock: LoopClock = CLOCK,
  ) {
    this.#budgetMs = options.burstMs;
    this.#atMs = clock.now();
  }

  /** Apps with work that waits. */
  get waitingApps(): number {
    return this.#waiting.apps;
  }

  /** Whether work that can wait has to. */
  get isSpent(): boolean {
    this.#refill();
    return this.#budgetMs <= 0 || this.#waiting.apps > 0;
  }

  /** Returns undefined if the next piece may run now; otherwise a promise of its turn, which never rejects. */
  turn(app: string): Promise<void> | undefined {
    if (!this.isSpent) return undefined;
    return new Promise((resolve) => {
      this.#waiting.add(app, resolve);
      this.#schedule();
    });
  }

  /** Takes the time of a piece from the budget. */
  spend(ms: number): void {
    this.#budgetMs -= ms;
  }

  /** Runs a synchronous piece and takes its time from the budget. */
  measure<Value>(work: () => Value): Value {
    const beganMs = this.clock.now();
    try {
      return work();
    } finally {
      this.spend(this.clock.now() - beganMs);
    }
  }

  #refill(): void {
    const { part, burstMs } = this.options;
    const nowMs = this.clock.now();
    this.#budgetMs = Math.min(burstMs, this.#budgetMs + (nowMs - this.#atMs) * part);
    this.#atMs = nowMs;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    const waitMs = this.#budgetMs > 0 ? 0 : Math.floor(-this.#budgetMs / this.options.part) + 1;
    this.clock.after(waitMs, () => this.#next());
  }

  #next(): void {
    this.#isScheduled = false;
    this.#refill();
    if (this.#budgetMs > 0) this.#waiting.take()?.();
    // The resumed work reports its time before the next one is resumed.
    if (this.#waiting.apps > 0) this.#schedule();
  }
}
