import type { OrderedRecord } from './step.js';

interface Early<Item> {
  readonly record: Item;
  readonly sinceMs: number;
}

/** Records that came too early, by serial; the first of each counts. */
export class Held<Item extends OrderedRecord> {
  readonly #records = new Map<number, Early<Item>>();

  get size(): number {
    return this.#records.size;
  }

  add(record: Item, nowMs: number): void {
    if (!this.#records.has(record.serial)) this.#records.set(record.serial, { record, sinceMs: nowMs });
  }

  take(serial: number): Item | null {
    const found = this.#records.get(serial);
    this.#records.delete(serial);
    return found?.record ?? null;
  }

  /** Null: nothing is held. Held records are few, and this is asked only when something is missing. */
  get lowest(): { readonly serial: number; readonly sinceMs: number } | null {
    if (this.size === 0) return null;
    const serial = Math.min(...this.#records.keys());
    return { serial, sinceMs: this.#records.get(serial)?.sinceMs ?? 0 };
  }

  clear(): void {
    this.#records.clear();
  }

  /** What is not above the serial is of no use any more. */
  dropUpTo(serial: number): void {
    for (const one of this.#records.keys()) if (one <= serial) this.#records.delete(one);
  }
}
