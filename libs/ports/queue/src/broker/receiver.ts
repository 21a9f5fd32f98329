/** One request at a time for what waits in a queue, which whoever claims finds answered or goes on waiting for. */
export class PullReceiver<Message> {
  #came: Message[] = [];
  #failure: unknown = null;
  #receiving: Promise<void> | null = null;
  #isLeft = false;

  /** @param ask for at most so many */
  constructor(private readonly ask: (most: number) => Promise<readonly Message[]>) {}

  /** What came, at most so many. Where nothing did, it is asked for. Rejects once with what became of a request. */
  take(most: number): readonly Message[] {
    if (this.#failure !== null) {
      const failure = this.#failure;
      this.#failure = null;
      throw failure;
    }
    if (this.#came.length === 0 && !this.#isLeft) this.#receiving ??= this.#receive(most);
    return this.#came.splice(0, most);
  }

  /** Whether there is something to take, or to be told. */
  get hasNews(): boolean {
    return this.#came.length > 0 || this.#failure !== null;
  }

  /** Resolves when a request is answered. */
  async answered(): Promise<void> {
    await this.#receiving;
  }

  /**
   * Asks for nothing more; what came and nobody took. A request that is under way is not broken off: the broker might answer
   * it all the same, and nobody would see those messages for as long as a lease.
   */
  async leave(): Promise<readonly Message[]> {
    this.#isLeft = true;
    await this.#receiving;
    return this.#came.splice(0);
  }

  async #receive(most: number): Promise<void> {
    try {
      this.#came.push(...(await this.ask(most)));
    } catch (error) {
      this.#failure = error;
    } finally {
      this.#receiving = null;
    }
  }
}
