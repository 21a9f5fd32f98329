/**
 * Round trips to a broker. One is under way at a time: it begins at once, so that the question leaves together with what
 * it is about, and whoever comes meanwhile shares the next.
 */
export class Barrier {
  #current: Promise<void> | null = null;
  #next: Promise<void> | null = null;

  /** @param roundTrip puts the question before it returns */
  constructor(private readonly roundTrip: () => Promise<void>) {}

  /** Settles when the broker has answered a question that was put after everything sent until now. */
  pass(): Promise<void> {
    if (this.#current === null) return this.#begin();
    this.#next ??= this.#after(this.#current);
    return this.#next;
  }

  #begin(): Promise<void> {
    const current = this.roundTrip().finally(() => {
      if (this.#current === current) this.#current = null;
    });
    this.#current = current;
    return current;
  }

  async #after(current: Promise<void>): Promise<void> {
    // What became of it is told those who wait for it.
    await current.catch(() => undefined);
    this.#next = null;
    return this.#begin();
  }
}
