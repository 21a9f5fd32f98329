/**
 * The latest entries by id with a limit; the oldest is evicted. One iterator follows the oldest, because a new one
 * would have to pass all removed entries.
 */
export class Retained<Value> {
  readonly #entries = new Map<string, Value>();
  readonly #oldest = this.#entries.keys();

  constructor(private readonly most: number) {}

  get size(): number {
    return this.#entries.size;
  }

  get(id: string): Value | undefined {
    return this.#entries.get(id);
  }

  /** Adds one, and hands the one that gave way to the callback, which may be the same. */
  add(id: string, value: Value, onGone: (id: string, value: Value) => void): void {
    this.#entries.set(id, value);
    if (this.#entries.size <= this.most) return;
    // There is one more than may be, so the iterator has not come to its end.
    const goneId = this.#oldest.next().value ?? id;
    const gone = this.#entries.get(goneId) ?? value;
    this.#entries.delete(goneId);
    onGone(goneId, gone);
  }

  delete(id: string): void {
    this.#entries.delete(id);
  }

  /** The oldest ones. */
  first(limit: number): Value[] {
    const values: Value[] = [];
    for (const value of this.#entries.values()) {
      if (values.length >= limit) break;
      values.push(value);
    }
    return values;
  }
}
