const WORD = 2 ** 32;

/** Seeded pseudo-random numbers (mulberry32). The same seed and label give the same sequence. */
export class Random {
  #state: number;

  constructor(seed: number, label = '') {
    this.#state = (hashText(label) ^ Math.imul(seed | 0, 0x9e3779b1)) >>> 0;
    for (let round = 0; round < 4; round += 1) this.next();
  }

  /** From 0 up to 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / WORD;
  }

  /** A whole number from 0 up to `bound`, exclusive. */
  below(bound: number): number {
    return Math.floor(this.next() * bound);
  }

  between(from: number, to: number): number {
    return from + this.below(to - from + 1);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error('cannot pick from an empty list');
    return item;
  }

  /** A version 4 UUID. */
  uuid(): string {
    const digits = Array.from({ length: 32 }, () => this.below(16).toString(16));
    digits[12] = '4';
    digits[16] = (8 + this.below(4)).toString(16);
    const text = digits.join('');
    return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join(
      '-',
    );
  }
}

/** FNV-1a of a text, 32 bits. */
export function hashText(text: string, from = 0x811c9dc5): number {
  let hash = from;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
