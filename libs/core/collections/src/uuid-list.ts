const WORDS = 4;
const FIRST_CAPACITY = 64;

/** Values of hexadecimal digits by character code. */
const DIGITS = new Uint8Array(128);
for (let digit = 0; digit < 16; digit += 1) DIGITS[digit.toString(16).charCodeAt(0)] = digit;
/** Offsets of the four-digit groups of each word in the text of a UUID. */
const GROUPS = [
  [0, 4],
  [9, 14],
  [19, 24],
  [28, 32],
] as const;

/**
 * UUIDs in lower case, each once, numbered from 0 in the order in which they came. They are kept as numbers, 24 bytes
 * each, which the collector does not look into: in a `Map` some 100,000 cost it more than all that is done with them.
 */
export class UuidList {
  #words = new Uint32Array(FIRST_CAPACITY * WORDS);
  /** Hash table of entry numbers plus one; 0: free. At most half full. */
  #places = new Uint32Array(FIRST_CAPACITY * 2);
  #size = 0;
  /** Words of the requested UUID. */
  readonly #asked = new Uint32Array(WORDS);

  get size(): number {
    return this.#size;
  }

  /** Null: it is not among them. */
  numberOf(uuid: string): number | null {
    this.#ask(uuid);
    const number = this.#places[this.#place()] ?? 0;
    return number === 0 ? null : number - 1;
  }

  /** The number that it has, or has from now on. */
  add(uuid: string): number {
    this.#ask(uuid);
    const place = this.#place();
    const found = this.#places[place] ?? 0;
    if (found > 0) return found - 1;
    const number = this.#size;
    this.#words.set(this.#asked, number * WORDS);
    this.#places[place] = number + 1;
    this.#size += 1;
    if (this.#size === this.#capacity) this.#resize(this.#capacity * 2);
    return number;
  }

  /** The one with that number, which must have been given. */
  at(number: number): string {
    const digits = Array.from(this.#words.subarray(number * WORDS, (number + 1) * WORDS), (word) =>
      word.toString(16).padStart(8, '0'),
    ).join('');
    const ends = [0, 8, 12, 16, 20, 32];
    return ends
      .slice(1)
      .map((end, index) => digits.slice(ends[index], end))
      .join('-');
  }

  /** Removes all entries. Halves the capacity if most of it was unused. */
  clear(): void {
    const wasNeeded = this.#size * 4 > this.#capacity;
    this.#size = 0;
    if (!wasNeeded && this.#capacity > FIRST_CAPACITY) this.#resize(this.#capacity / 2);
    else this.#places.fill(0);
  }

  get #capacity(): number {
    return this.#words.length / WORDS;
  }

  #ask(uuid: string): void {
    for (let word = 0; word < WORDS; word += 1) {
      let value = 0;
      for (const group of GROUPS[word] ?? [])
        for (let at = group; at < group + 4; at += 1)
          value = (value << 4) | (DIGITS[uuid.charCodeAt(at)] ?? 0);
      this.#asked[word] = value;
    }
  }

  /** Slot of the requested UUID, or its insertion slot. */
  #place(): number {
    const mask = this.#places.length - 1;
    let place = hashOf(this.#asked, 0) & mask;
    for (;;) {
      const number = this.#places[place] ?? 0;
      if (number === 0 || this.#isAsked(number - 1)) return place;
      place = (place + 1) & mask;
    }
  }

  #isAsked(number: number): boolean {
    for (let word = 0; word < WORDS; word += 1)
      if (this.#words[number * WORDS + word] !== this.#asked[word]) return false;
    return true;
  }

  /** There is room for those that are in. */
  #resize(capacity: number): void {
    const words = new Uint32Array(capacity * WORDS);
    words.set(this.#words.subarray(0, this.#size * WORDS));
    const places = new Uint32Array(capacity * 2);
    const mask = places.length - 1;
    for (let number = 0; number < this.#size; number += 1) {
      let place = hashOf(words, number * WORDS) & mask;
      while ((places[place] ?? 0) > 0) place = (place + 1) & mask;
      places[place] = number + 1;
    }
    this.#words = words;
    this.#places = places;
  }
}

/** Every word counts: of many kinds of UUID only some are random. */
function hashOf(words: Uint32Array, from: number): number {
  let hash = 0;
  for (let word = from; word < from + WORDS; word += 1) {
    hash = Math.imul(hash ^ (words[word] ?? 0), 0x9e37_79b1);
    hash ^= hash >>> 15;
  }
  return hash;
}
