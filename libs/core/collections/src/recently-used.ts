import { type Aging, Recency } from './recency.js';

interface Entry<Value> extends Aging<Entry<Value>> {
  readonly name: string;
  readonly value: Value;
  readonly bytes: number;
}

/** LRU map bounded by number and bytes. */
export class RecentlyUsed<Value> {
  readonly #entries = new Map<string, Entry<Value>>();
  readonly #recency = new Recency<Entry<Value>>();
  #bytes = 0;

  constructor(
    private readonly maxEntries: number,
    private readonly maxBytes: number,
    /** Called for each evicted entry. */
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
    this.#recency.use(entry);
    return entry.value;
  }

  /** For a name that is not there; it takes as many bytes as its name has. */
  put(name: string, value: Value): void {
    const bytes = Buffer.byteLength(name);
    const entry = { name, value, bytes, older: null, newer: null };
    this.#entries.set(name, entry);
    this.#recency.add(entry);
    this.#bytes += bytes;
    while (this.size > this.maxEntries || this.#bytes > this.maxBytes) this.#evict();
  }

  #evict(): void {
    const { oldest } = this.#recency;
    if (oldest === null) return;
    this.#recency.remove(oldest);
    this.#entries.delete(oldest.name);
    this.#bytes -= oldest.bytes;
    this.evicted();
  }
}
