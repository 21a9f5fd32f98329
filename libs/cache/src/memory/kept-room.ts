/** An app may use this fraction of the total. */
const SHARE = 4;
/** Fill level that is reported as full. */
const FULL_PART = 0.95;

/** The bytes of entries that may not be evicted: bounded for all together, and for each app, so that none fills it. */
export class KeptRoom {
  readonly #byOwner = new Map<string, number>();
  #used = 0;

  constructor(private readonly mostBytes: number) {}

  get usedBytes(): number {
    return this.#used;
  }

  get isFull(): boolean {
    return this.#used >= this.mostBytes * FULL_PART;
  }

  has(owner: string, bytes: number): boolean {
    const own = (this.#byOwner.get(owner) ?? 0) + bytes;
    return this.#used + bytes <= this.mostBytes && own <= this.mostBytes / SHARE;
  }

  /** Also less than nothing, when an entry is removed or becomes smaller. */
  take(owner: string, bytes: number): void {
    this.#used += bytes;
    const own = (this.#byOwner.get(owner) ?? 0) + bytes;
    if (own === 0) this.#byOwner.delete(owner);
    else this.#byOwner.set(owner, own);
  }
}
