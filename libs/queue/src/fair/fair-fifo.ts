import { Fifo } from './fifo.js';

/** Any owner; null: no owner in particular. */
type Owner = string | null;

/**
 * First in, first out among the items of one owner, and in turn among owners: an owner with many items delays no other.
 * All operations are O(1), but for `firsts`, which is O(owners).
 */
export class FairFifo<Item extends { readonly owner: Owner }> {
  /** Owners with items, the next one in turn first. */
  readonly #lines = new Map<Owner, Fifo<Item>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The item of each owner that came first. */
  *firsts(): Generator<Item> {
    for (const { first } of this.#lines.values()) if (first !== undefined) yield first;
  }

  add(item: Item): void {
    this.#line(item.owner).add(item);
    this.#size += 1;
  }

  /** To the front of its owner's items; the owner keeps its turn. */
  addFirst(item: Item): void {
    this.#line(item.owner).addFirst(item);
    this.#size += 1;
  }

  take(): Item | undefined {
    for (const [owner, line] of this.#lines) {
      this.#lines.delete(owner);
      const item = line.take();
      if (line.size > 0) this.#lines.set(owner, line);
      this.#size -= 1;
      return item;
    }
    return undefined;
  }

  takeAll(): Item[] {
    const items: Item[] = [];
    for (let item = this.take(); item !== undefined; item = this.take()) items.push(item);
    return items;
  }

  #line(owner: Owner): Fifo<Item> {
    let line = this.#lines.get(owner);
    if (line === undefined) {
      line = new Fifo();
      this.#lines.set(owner, line);
    }
    return line;
  }
}
