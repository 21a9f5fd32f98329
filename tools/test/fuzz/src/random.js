const TWO_TO_32 = 4_294_967_296;

/** Numbers that look random and are the same for the same seed and stream, on every machine. */
export class Random {
  #state;

  /** @param {number} seed @param {number} [stream] numbers of other streams are unrelated */
  constructor(seed, stream = 0) {
    this.#state = mix(mix(seed >>> 0) ^ Math.imul(stream + 1, 0x9e3779b9));
  }

  /** 0 to 2^32 - 1. */
  next() {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    return mix(this.#state);
  }

  /** 0 to `bound` - 1; 0 when the bound is. @param {number} bound */
  below(bound) {
    return Math.floor((this.next() / TWO_TO_32) * bound);
  }

  /** True once in `times`. @param {number} times */
  oneIn(times) {
    return this.below(times) === 0;
  }

  /** @template Item @param {readonly Item[]} items not empty @returns {Item} */
  pick(items) {
    return /** @type {Item} */ (items[this.below(items.length)]);
  }

  /** A whole number whose size is as likely small as large. @param {number} bound exclusive */
  size(bound) {
    return this.below(2 ** this.below(Math.ceil(Math.log2(bound)) + 1)) % bound;
  }
}

/** @param {number} value */
function mix(value) {
  let mixed = value;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
