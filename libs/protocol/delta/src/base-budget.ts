/** Something that holds bases. */
export interface BaseHolder {
  /** Characters of the bases it holds. */
  readonly length: number;
  /** Drops the bases; their subscribers get full messages next. */
  clear(): void;
}

/** Bounds the bases of all holders together: the least recently used are evicted. */
export class BaseBudget {
  /** With how much each had at its last use, those not used for longest first. */
  readonly #holders = new Map<BaseHolder, number>();
  #total = 0;

  constructor(private readonly maxLength: number) {}

  /** Characters of all bases of all holders. */
  get total(): number {
    return this.#total;
  }

  /** A holder was used and has more or less than before. It may be the one to forget, if it is too large alone. */
  used(holder: BaseHolder): void {
    this.left(holder);
    this.#holders.set(holder, holder.length);
    this.#total += holder.length;
    while (this.#total > this.maxLength) {
      const [longestUnused] = this.#holders.keys();
      if (longestUnused === undefined) return;
      longestUnused.clear();
      this.left(longestUnused);
    }
  }

  /** A holder is gone. */
  left(holder: BaseHolder): void {
    this.#total -= this.#holders.get(holder) ?? 0;
    this.#holders.delete(holder);
  }
}
