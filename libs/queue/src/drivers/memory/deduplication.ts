/** Jobs by deduplication key. An entry is removed with its job at the latest. */
export class Deduplication {
  readonly #entries = new Map<string, { readonly id: string; readonly untilMs: number }>();

  constructor(private readonly ttlMs: number) {}

  /** Undefined: the key is free. */
  find(key: string): string | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && entry.untilMs > performance.now() ? entry.id : undefined;
  }

  hold(key: string, id: string): void {
    this.#entries.set(key, { id, untilMs: performance.now() + this.ttlMs });
  }

  /** Removes the entry of a finished job, unless the key belongs to a later one. */
  free(key: string | null, id: string): void {
    if (key !== null && this.#entries.get(key)?.id === id) this.#entries.delete(key);
  }
}
