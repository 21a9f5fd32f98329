/**
 * The ACKs of a connection's publishes, in publish order. An ACK waits until its publish is counted and its receipt
 * is shared; the next publish does not wait for it. The number of pending ACKs is limited by the queue of the
 * statistics and by its timeout.
 */
export class Answers {
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;

  /** Sends an ACK after the previous ones; null: it has nothing of its own to wait for. `settled` never rejects. */
  add(settled: Promise<void> | null, say: () => void): void {
    if (settled === null && this.#waiting === 0) return say();
    this.#waiting += 1;
    this.#last = this.#inTurn(this.#last, settled, say);
  }

  /** Resolves when all ACKs added so far are sent. */
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
