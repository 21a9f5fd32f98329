/** Collects acknowledgements: one request at a time carries all that arrived meanwhile. */
export class Acknowledger {
  #waiting: {
    readonly ackId: string;
    readonly resolve: () => void;
    readonly reject: (error: unknown) => void;
  }[] = [];
  #sending: Promise<void> | null = null;

  constructor(private readonly send: (ackIds: readonly string[]) => Promise<void>) {}

  /** Resolves when Pub/Sub has the acknowledgement. */
  add(ackId: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ackId, resolve, reject });
      this.#sending ??= this.#sendAll();
    });
  }

  /** Resolves when every acknowledgement was sent, or failed. */
  async idle(): Promise<void> {
    await this.#sending;
  }

  async #sendAll(): Promise<void> {
    // Calls of the same event-loop turn share a request.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const some = this.#waiting.splice(0);
      try {
        await this.send(some.map(({ ackId }) => ackId));
        for (const { resolve } of some) resolve();
      } catch (error) {
        for (const { reject } of some) reject(error);
      }
    }
    this.#sending = null;
  }
}
