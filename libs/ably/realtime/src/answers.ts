/**
 * What a connection is answered for what it publishes, in the order of the publishes. An answer waits until its publish
 * is counted and known everywhere; the next publish does not. How many wait is bounded by what may wait to be counted, and
 * by its time.
 */
export class Answers {
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;

  /** Says it after those before it; null: it waits for nothing else. `settled` never rejects. */
  add(settled: Promise<void> | null, say: () => void): void {
    if (settled === null && this.#waiting === 0) return say();
    this.#waiting += 1;
    this.#last = this.#inTurn(this.#last, settled, say);
  }

  /** Resolves when everything is said that was added until now. */
  get said(): Promise<void> {
    return this.#last;
  }

  async #inTurn(before: Promise<void>, settled: Promise<void> | null, say: () => void): Promise<void> {
    await before;
    await settled;
    this.#waiting -= 1;
    say();
  }
}
