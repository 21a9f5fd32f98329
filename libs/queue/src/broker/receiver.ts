import { bounded } from '@carillon/runtime';

/** Pulls messages of a queue with one request at a time; a claim takes received messages or waits for the answer. */
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

  /**
   * Resolves when there are messages or a failure to take, after the time, or when the signal aborts. A request without
   * messages ends no wait, so that the next one does not follow immediately.
   */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    await bounded(ms, (over) => this.#news(over), signal);
  }

  async #news(over: AbortSignal): Promise<void> {
    await this.#receiving;
    if (this.hasNews || over.aborted) return;
    await new Promise((end) => over.addEventListener('abort', end, { once: true }));
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
