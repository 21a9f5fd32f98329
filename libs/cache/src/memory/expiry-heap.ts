import type { MemoryEntry } from './entry.js';

/**
 * Expiring entries, soonest first: a binary heap in which entries store their index, so that renewed and removed ones
 * leave nothing behind. All operations except `soonest` cost O(log n).
 */
export class ExpiryHeap {
  readonly #heap: MemoryEntry[] = [];

  get soonest(): MemoryEntry | undefined {
    return this.#heap[0];
  }

  /** Puts the entry where its time belongs, or takes it out when it never expires. */
  place(entry: MemoryEntry): void {
    if (entry.expiresAtMs === Infinity) {
      this.remove(entry);
      return;
    }
    if (entry.heapIndex < 0) {
      entry.heapIndex = this.#heap.length;
      this.#heap.push(entry);
    }
    this.#up(entry);
    this.#down(entry);
  }

  remove(entry: MemoryEntry): void {
    const index = entry.heapIndex;
    if (index < 0) return;
    entry.heapIndex = -1;
    const last = this.#heap.pop();
    if (last === undefined || last === entry) return;
    this.#put(last, index);
    this.#up(last);
    this.#down(last);
  }

  #up(entry: MemoryEntry): void {
    while (entry.heapIndex > 0) {
      const index = entry.heapIndex;
      const parent = this.#heap[(index - 1) >> 1];
      if (parent === undefined || parent.expiresAtMs <= entry.expiresAtMs) return;
      this.#put(entry, parent.heapIndex);
      this.#put(parent, index);
    }
  }

  #down(entry: MemoryEntry): void {
    for (;;) {
      const index = entry.heapIndex;
      const left = this.#heap[2 * index + 1];
      const right = this.#heap[2 * index + 2];
      const child =
        right !== undefined && left !== undefined && right.expiresAtMs < left.expiresAtMs ? right : left;
      if (child === undefined || child.expiresAtMs >= entry.expiresAtMs) return;
      this.#put(entry, child.heapIndex);
      this.#put(child, index);
    }
  }

  #put(entry: MemoryEntry, index: number): void {
    this.#heap[index] = entry;
    entry.heapIndex = index;
  }
}
