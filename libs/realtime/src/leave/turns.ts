/** Channels left per turn of the loop, over all closing connections: about a millisecond. */
const PER_TURN = 200;

/** Spreads many small steps of concurrent tasks over turns of the loop. */
export class Turns {
  #left: number;
  #next: Promise<void> | null = null;

  constructor(private readonly perTurn: number = PER_TURN) {
    this.#left = perTurn;
  }

  /** Returns undefined if the step may run now; otherwise resolves when it may. */
  step(): Promise<void> | undefined {
    if (this.#left > 0 && this.#next === null) {
      this.#left -= 1;
      return undefined;
    }
    return this.#wait();
  }

  /** A task that resumes when the steps of the turn are used up waits for the next turn. */
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
