/** Element of a `Recency`, in one list at a time. */
export interface Aging<Item> {
  older: Item | null;
  newer: Item | null;
}

/**
 * Items by when they were used last. Every step takes the same time however many there are, which the insertion order
 * of a `Map` does not promise: finding its first entry steps over all that were deleted before it.
 */
export class Recency<Item extends Aging<Item>> {
  #oldest: Item | null = null;
  #newest: Item | null = null;

  /** Least recently used; null if empty. */
  get oldest(): Item | null {
    return this.#oldest;
  }

  /** Takes in an item that is in no list, as the one used last. */
  add(item: Item): void {
    item.older = this.#newest;
    item.newer = null;
    if (this.#newest === null) this.#oldest = item;
    else this.#newest.newer = item;
    this.#newest = item;
  }

  /** Makes an item of this list the one used last. */
  use(item: Item): void {
    if (item === this.#newest) return;
    this.remove(item);
    this.add(item);
  }

  /** Takes an item of this list out of it. */
  remove(item: Item): void {
    if (item.older === null) this.#oldest = item.newer;
    else item.older.newer = item.newer;
    if (item.newer === null) this.#newest = item.older;
    else item.newer.older = item.older;
    // One that is gone for good must not keep others alive.
    item.older = null;
    item.newer = null;
  }
}
