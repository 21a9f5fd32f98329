import type { Positioned } from './judge.js';

interface Entry<T> {
  readonly one: T;
  readonly atMs: number;
}

/** Replay buffer: the newest messages of one stream, bounded by number and age. */
export class HotRing<T extends Positioned> {
  #entries: Entry<T>[] = [];
  /** Index of the oldest entry; earlier ones are removed occasionally. */
  #first = 0;

  constructor(private readonly bounds: { readonly maxCount: number; readonly maxAgeMs: number }) {}

  /** Takes the next message. One that does not follow the newest makes the ring begin with it. */
  push(one: T, nowMs: number): void {
    const newest = this.#entries.at(-1)?.one;
    const follows = newest?.streamId === one.streamId && newest.serial + 1 === one.serial;
    if (newest !== undefined && !follows) this.clear();
    this.#entries.push({ one, atMs: nowMs });
    if (this.#entries.length - this.#first > this.bounds.maxCount) this.#first += 1;
    if (this.#first > this.bounds.maxCount) this.#cut();
  }

  /** Returns the entries from a serial on, in order, without expired ones. */
  since(serial: number, nowMs: number): readonly T[] {
    this.#age(nowMs);
    const found: T[] = [];
    for (let at = this.#first; at < this.#entries.length; at += 1) {
      const one = this.#entries[at]?.one;
      if (one !== undefined && one.serial >= serial) found.push(one);
    }
    return found;
  }

  /** Prepends entries directly before the oldest one, or fills an empty buffer. Entries that do not fit are ignored. */
  fill(older: readonly { readonly one: T; readonly atMs: number }[]): void {
    const kept = this.#entries.slice(this.#first);
    const oldest = kept[0]?.one;
    const before = oldest === undefined ? older : older.filter(({ one }) => one.serial < oldest.serial);
    const last = before.at(-1)?.one;
    if (last === undefined) return;
    const fits =
      oldest === undefined || (last.streamId === oldest.streamId && last.serial + 1 === oldest.serial);
    if (!fits) return;
    this.#entries = [...before, ...kept].slice(-this.bounds.maxCount);
    this.#first = 0;
  }

  clear(): void {
    this.#entries = [];
    this.#first = 0;
  }

  #age(nowMs: number): void {
    const oldest = nowMs - this.bounds.maxAgeMs;
    while (this.#first < this.#entries.length && (this.#entries[this.#first]?.atMs ?? 0) < oldest) {
      this.#first += 1;
    }
    if (this.#first === this.#entries.length) this.clear();
  }

  #cut(): void {
    this.#entries = this.#entries.slice(this.#first);
    this.#first = 0;
  }
}
