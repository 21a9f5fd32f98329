/** Texts in the order of their UTF-8, each once. */
export class Order {
  readonly #items: string[] = [];

  /** Number of items. */
  get size(): number {
    return this.#items.length;
  }

  /** One that is not in it. */
  add(item: string): void {
    const last = this.#items.at(-1);
    // Stored items arrive in order.
    if (last === undefined || byBytes(last, item) < 0) this.#items.push(item);
    else this.#items.splice(this.#placeOf(item), 0, item);
  }

  /** One that is in it. */
  remove(item: string): void {
    this.#items.splice(this.#placeOf(item), 1);
  }

  first(count: number): readonly string[] {
    return count >= this.#items.length ? this.#items : this.#items.slice(0, count);
  }

  #placeOf(item: string): number {
    let [from, to] = [0, this.#items.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (byBytes(this.#items[middle] ?? '', item) < 0) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}

/** In the order of their UTF-8, without making it. */
function byBytes(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at += 1) {
    const [a, b] = [one.charCodeAt(at), other.charCodeAt(at)];
    if (a !== b) return rankOf(a) - rankOf(b);
  }
  return one.length - other.length;
}

/** Surrogates sort after all other characters. */
const rankOf = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);
