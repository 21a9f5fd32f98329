const START = 100;
const MOST = 10_000;
const HALVE_EVERY_MS = 30_000;
const GROW_EVERY_MS = 60_000;
const GROWTH_JITTER_MS = 12_000;

/** Limit of one app's concurrent batches at a provider: decreases when throttled, otherwise grows slowly. */
export class AdaptiveWindow {
  #size = START;
  #running = 0;
  #halvedMs = -Infinity;
  #growsMs: number | null = null;

  constructor(private readonly random: () => number = Math.random) {}

  get size(): number {
    return this.#size;
  }

  /** False: it is full. */
  enter(nowMs: number): boolean {
    this.#growsMs ??= this.#next(nowMs);
    if (nowMs >= this.#growsMs) {
      this.#size = Math.min(MOST, this.#size + 1);
      this.#growsMs = this.#next(nowMs);
    }
    if (this.#running >= this.#size) return false;
    this.#running += 1;
    return true;
  }

  leave(throttled: boolean, nowMs: number): void {
    this.#running -= 1;
    if (!throttled) return;
    this.#growsMs = this.#next(nowMs);
    if (nowMs - this.#halvedMs < HALVE_EVERY_MS) return;
    this.#halvedMs = nowMs;
    this.#size = Math.max(1, Math.floor(this.#size / 2));
  }

  #next(nowMs: number): number {
    return nowMs + GROW_EVERY_MS + this.random() * GROWTH_JITTER_MS;
  }
}
