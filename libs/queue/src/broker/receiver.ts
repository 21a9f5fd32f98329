import { bounded } from '@carillon/runtime';

/** Pulls messages of a queue with one request at a time; a claim takes received messages or waits for the answer. */
export class PullReceiver<Message> {
  #came: Message[] = [];
  #failure: unknown = null;
  #receiving: Promise<void> | null = null;
  #isLeft = false;

  /** @param ask requests at most `most` messages */
  constructor(private readonly ask: (most: number) => Promise<readonly Message[]>) {}

  /**
   * Returns up to `most` received messages; starts a receive call if there are none. Throws once with the error of a
   * failed call.
   */
  take(most: number): readonly Message[] {
    if (this.#failure !== null) {
      const failure = this.#failure;
      this.#failure = null;
      throw failure;
    }
    if (this.#came.length === 0 && !this.#isLeft) this.#receiving ??= this.#receive(most);
    return this.#came.splice(0, most);
  }

  /** Whether messages or a failure are available. */
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
   * Stops receiving; resolves with the unclaimed messages. A receive call in flight is not aborted: the broker might
   * answer it anyway, and those messages would be invisible for a whole lease.
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
