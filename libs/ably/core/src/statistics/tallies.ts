import { type Entries, isPeak } from './entries.js';

/** Aggregates frequent events: one observation per app and interval. */
export class Tallies {
  #apps = new Map<string, Map<string, number>>();
  #isDue = false;

  constructor(
    private readonly flushMs: number,
    private readonly observe: (appId: string, entries: Entries) => void,
  ) {}

  /** Adds to a number; of a peak the higher one stays. */
  add(appId: string, name: string, value: number): void {
    let numbers = this.#apps.get(appId);
    if (numbers === undefined) this.#apps.set(appId, (numbers = new Map()));
    const before = numbers.get(name) ?? 0;
    numbers.set(name, isPeak(name) ? Math.max(before, value) : before + value);
    if (this.#isDue) return;
    this.#isDue = true;
    setTimeout(() => this.flush(), this.flushMs).unref();
  }

  /** Passes on the pending sums. */
  flush(): void {
    this.#isDue = false;
    const apps = this.#apps;
    this.#apps = new Map();
    for (const [appId, numbers] of apps) this.observe(appId, Object.fromEntries(numbers));
  }
}
