/** Array elements per entry: time and amount. */
const PLACES = 2;
const FIRST_MOMENTS = 4;

/**
 * Amounts of the last window: a ring of times in milliseconds with their amounts, oldest first. Amounts of one
 * millisecond share an entry, so the ring has no more entries than the limit or the milliseconds of the window.
 * Adding and expiring are O(1).
 */
export class SlidingLog {
  #ring = new Float64Array(FIRST_MOMENTS * PLACES);
  #head = 0;
  #moments = 0;
  #counted = 0;
  #newestMs = -Infinity;
  #windowMs = 0;

  /** Returns the amount in the window ending at `nowMs`; removes older entries. */
  countAt(nowMs: number, windowMs: number): number {
    this.#windowMs = windowMs;
    const oldestMs = nowMs - windowMs;
    while (this.#moments > 0 && this.#at(this.#head) <= oldestMs) {
      this.#counted -= this.#at(this.#head + 1);
      this.#head = (this.#head + PLACES) % this.#ring.length;
      this.#moments -= 1;
    }
    return this.#counted;
  }

  /** `nowMs` is not before any added one. */
  add(nowMs: number, amount: number): void {
    this.#counted += amount;
    if (this.#moments > 0 && this.#newestMs === nowMs) {
      const newest = this.#place(this.#moments - 1);
      this.#ring[newest + 1] = this.#at(newest + 1) + amount;
      return;
    }
    if (this.#moments * PLACES === this.#ring.length) this.#grow();
    const place = this.#place(this.#moments);
    this.#ring[place] = nowMs;
    this.#ring[place + 1] = amount;
    this.#newestMs = nowMs;
    this.#moments += 1;
  }

  /** Whether nothing would be left of it at this time. */
  isOver(nowMs: number): boolean {
    return this.#newestMs <= nowMs - this.#windowMs;
  }

  #place(moment: number): number {
    return (this.#head + moment * PLACES) % this.#ring.length;
  }

  #at(place: number): number {
    return this.#ring[place] ?? 0;
  }

  #grow(): void {
    const larger = new Float64Array(this.#ring.length * 2);
    const tail = this.#ring.subarray(this.#head);
    larger.set(tail);
    larger.set(this.#ring.subarray(0, this.#head), tail.length);
    this.#ring = larger;
    this.#head = 0;
  }
}
