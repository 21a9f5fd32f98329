export interface HeapItem {
  atMs: number;
  /** Breaks ties between items of the same time. */
  readonly rank: number;
}

const isBefore = (one: HeapItem, other: HeapItem): boolean =>
  one.atMs < other.atMs || (one.atMs === other.atMs && one.rank < other.rank);

/** Binary heap; the earliest item is first. */
export class Heap<Item extends HeapItem> {
  readonly #items: Item[] = [];

  get size(): number {
    return this.#items.length;
  }

  get first(): Item | undefined {
    return this.#items[0];
  }

  push(item: Item): void {
    const items = this.#items;
    let at = items.push(item) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = items[parent];
      if (above === undefined || !isBefore(item, above)) break;
      items[at] = above;
      at = parent;
    }
    items[at] = item;
  }

  pop(): Item | undefined {
    const items = this.#items;
    const first = items[0];
    const last = items.pop();
    if (first === undefined || last === undefined || items.length === 0) return first;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const one = items[left];
      if (one === undefined) break;
      const other = items[left + 1];
      const isRight = other !== undefined && isBefore(other, one);
      const child = isRight ? other : one;
      if (!isBefore(child, last)) break;
      items[at] = child;
      at = isRight ? left + 1 : left;
    }
    items[at] = last;
    return first;
  }
}
