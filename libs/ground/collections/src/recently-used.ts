interface Entry<Value> {
  readonly value: Value;
  readonly bytes: number;
}

/** Values by name, those used last: never more than so many, nor of more bytes together. */
export class RecentlyUsed<Value> {
  /** The one not used for longest first. */
  readonly #entries = new Map<string, Entry<Value>>();
  #bytes = 0;

  constructor(
    private readonly maxEntries: number,
    private readonly maxBytes: number,
    /** Told of each that had to go. */
    private readonly evicted: () => void = () => {},
  ) {}

  get size(): number {
    return this.#entries.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(name: string): Value | undefined {
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    this.#entries.delete(name);
    this.#entries.set(name, entry);
    return entry.value;
  }

  /** For a name that is not there; it takes as many bytes as its name has. */
  put(name: string, value: Value): void {
    const bytes = Buffer.byteLength(name);
    this.#entries.set(name, { value, bytes });
    this.#bytes += bytes;
    for (const [oldest, entry] of this.#entries) {
      if (this.#entries.size <= this.maxEntries && this.#bytes <= this.maxBytes) return;
      this.#entries.delete(oldest);
      this.#bytes -= entry.bytes;
      this.evicted();
    }
  }
}
