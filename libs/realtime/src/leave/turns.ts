/** Channels left in one turn of the loop, over all connections that end: about a millisecond. */
const PER_TURN = 200;

/** Spreads what many small steps cost over turns of the loop, whoever takes them. */
export class Turns {
  #left: number;
  #next: Promise<void> | null = null;

  constructor(private readonly perTurn: number = PER_TURN) {
    this.#left = perTurn;
  }

  /** Undefined: the step may be taken now. Resolves when it may. */
  step(): Promise<void> | undefined {
    if (this.#left > 0 && this.#next === null) {
      this.#left -= 1;
      return undefined;
    }
    return this.#wait();
  }

  /** Whoever wakes after the turn's steps are taken waits for the turn after it. */
  async #wait(): Promise<void> {
    do {
      this.#next ??= this.#nextTurn();
      await this.#next;
    } while (this.#left <= 0);
    this.#left -= 1;
  }

  #nextTurn(): Promise<void> {
    return new Promise((resolve) => {
      setImmediate(() => {
        this.#left = this.perTurn;
        this.#next = null;
        resolve();
      });
    });
  }
}
