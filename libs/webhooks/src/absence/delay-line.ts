import type { Clock } from '../clock.js';

interface Waiting<Item> {
  readonly item: Item;
  readonly dueMs: number;
}

/** Delivers items after a constant delay, in order, with one timer. */
export class DelayLine<Item> {
  readonly #waiting = new Set<Waiting<Item>>();
  #cancel: (() => void) | null = null;

  constructor(
    private readonly delayMs: number,
    private readonly clock: Clock,
    private readonly onDue: (item: Item) => void,
  ) {}

  add(item: Item): void {
    this.#waiting.add({ item, dueMs: this.clock.now() + this.delayMs });
    if (this.#cancel === null) this.#arm(this.delayMs);
  }

  /** Hands on nothing more. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = null;
    this.#waiting.clear();
  }

  #arm(delayMs: number): void {
    this.#cancel = this.clock.after(delayMs, () => this.#run());
  }

  #run(): void {
    this.#cancel = null;
    for (const waiting of this.#waiting) {
      const leftMs = waiting.dueMs - this.clock.now();
      if (leftMs > 0) {
        if (this.#cancel === null) this.#arm(leftMs);
        return;
      }
      this.#waiting.delete(waiting);
      this.onDue(waiting.item);
    }
  }
}
