/** Items that are worked on in one step. */
const MAX_AT_ONCE = 500;

interface Waiting<Item> {
  readonly item: Item;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Gathers items that come one by one into batches by name: while one batch of a name is worked on, the next items of it
 * wait, and go together. Holds no more than its callers wait for.
 */
export class Gathering<Item> {
  readonly #waiting = new Map<string, Waiting<Item>[]>();

  constructor(
    private readonly nameOf: (item: Item) => string,
    private readonly work: (items: readonly Item[]) => Promise<void>,
  ) {}

  /** Resolves when the item has been worked on, and rejects when its batch failed. */
  add(item: Item): Promise<void> {
    const name = this.nameOf(item);
    return new Promise((done, failed) => {
      const waiting = this.#waiting.get(name);
      if (waiting !== undefined) {
        waiting.push({ item, done, failed });
        return;
      }
      this.#waiting.set(name, [{ item, done, failed }]);
      // Items of the same turn go along.
      setImmediate(() => void this.#run(name));
    });
  }

  async #run(name: string): Promise<void> {
    for (;;) {
      const waiting = this.#waiting.get(name) ?? [];
      if (waiting.length === 0) {
        this.#waiting.delete(name);
        return;
      }
      const some = waiting.splice(0, MAX_AT_ONCE);
      try {
        await this.work(some.map(({ item }) => item));
        for (const { done } of some) done();
      } catch (error) {
        for (const { failed } of some) failed(error);
      }
    }
  }
}
