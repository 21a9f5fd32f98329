/** A set of offsets as sorted, disjoint, non-adjacent ranges. */
export class OffsetRanges {
  /** Pairs of first and last offset, both included. */
  readonly #ranges: [number, number][] = [];

  get isEmpty(): boolean {
    return this.#ranges.length === 0;
  }

  /** Number of offsets. */
  get size(): number {
    return this.#ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0);
  }

  has(offset: number): boolean {
    const range = this.#ranges[this.#indexOf(offset)];
    return range !== undefined && range[0] <= offset;
  }

  /** Adds all offsets from `first` to `last`. */
  add(first: number, last = first): void {
    const start = this.#indexOf(first - 1);
    let end = start;
    let [low, high] = [first, last];
    for (
      let range = this.#ranges[end];
      range !== undefined && range[0] <= last + 1;
      range = this.#ranges[end]
    ) {
      low = Math.min(low, range[0]);
      high = Math.max(high, range[1]);
      end += 1;
    }
    this.#ranges.splice(start, end - start, [low, high]);
  }

  remove(offset: number): void {
    const index = this.#indexOf(offset);
    const range = this.#ranges[index];
    if (range === undefined || range[0] > offset) return;
    const rest: [number, number][] = [];
    if (range[0] < offset) rest.push([range[0], offset - 1]);
    if (range[1] > offset) rest.push([offset + 1, range[1]]);
    this.#ranges.splice(index, 1, ...rest);
  }

  /** Removes the leading range if it contains `offset`. Returns the first offset behind it, else `offset`. */
  takeFrom(offset: number): number {
    const [range] = this.#ranges;
    if (range === undefined || range[0] > offset) return offset;
    this.#ranges.shift();
    return Math.max(offset, range[1] + 1);
  }

  /** In ascending order. */
  [Symbol.iterator](): Iterator<readonly [number, number]> {
    return this.#ranges[Symbol.iterator]();
  }

  /** Index of the first range that ends at or behind `offset`. */
  #indexOf(offset: number): number {
    let [low, high] = [0, this.#ranges.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#ranges[middle]?.[1] ?? Infinity) < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
