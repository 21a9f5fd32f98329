/** Something that becomes due; of two due at the same time the earlier comer is first. */
export interface Due {
  readonly dueMs: number;
  readonly sequence: number;
}

/** Min-heap by due time: insertion and removal cost O(log n). */
export class DueHeap<Item extends Due> {
  readonly #items: Item[] = [];

  get size(): number {
    return this.#items.length;
  }

  /** The one that is due first. */
  get first(): Item | undefined {
    return this.#items[0];
  }

  add(item: Item): void {
    const items = this.#items;
    let at = items.length;
    items.push(item);
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = items[above];
      if (parent === undefined || !before(item, parent)) break;
      items[at] = parent;
      at = above;
    }
    items[at] = item;
  }

  /** Takes the first one if it is due by then. */
  takeDue(nowMs: number): Item | undefined {
    const items = this.#items;
    const first = items[0];
    if (first === undefined || first.dueMs > nowMs) return undefined;
    const last = items.pop();
    if (last !== undefined && last !== first) this.#sink(last);
    return first;
  }

  /** Puts an item in place of the top and moves it down to where it belongs. */
  #sink(item: Item): void {
    const items = this.#items;
    let at = 0;
    for (;;) {
      const left = items[2 * at + 1];
      const right = items[2 * at + 2];
      if (left === undefined) break;
      const rightIsFirst = right !== undefined && before(right, left);
      const child = rightIsFirst ? right : left;
      if (!before(child, item)) break;
      items[at] = child;
      at = 2 * at + (rightIsFirst ? 2 : 1);
    }
    items[at] = item;
  }
}

const before = (one: Due, other: Due) =>
  one.dueMs < other.dueMs || (one.dueMs === other.dueMs && one.sequence < other.sequence);
