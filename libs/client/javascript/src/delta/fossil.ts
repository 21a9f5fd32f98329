import type { DeltaDecoder } from '../channel/delta-bases.js';

/** Digits of the numbers of the format, by value. */
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~';
const VALUES = new Map(Array.from(DIGITS, (digit, value) => [digit.charCodeAt(0), value] as const));
/** No text of the service is longer; a length beyond it is refused before memory is taken. */
const LONGEST = 64 * 1024 * 1024;

const wrong = (): Error => new Error('The difference is not of the base');

/** Reads the numbers and operators of a delta sequentially. */
class Reader {
  #at = 0;

  constructor(readonly bytes: Uint8Array) {}

  number(): number {
    let value = 0;
    for (;;) {
      const digit = VALUES.get(this.bytes[this.#at] ?? 0);
      if (digit === undefined) return value;
      value = value * 64 + digit;
      if (value > 2 ** 32) throw wrong();
      this.#at += 1;
    }
  }

  sign(): string {
    return String.fromCharCode(this.bytes[this.#at++] ?? 0);
  }

  take(count: number): Uint8Array {
    const from = this.#at;
    this.#at += count;
    if (this.#at > this.bytes.length) throw wrong();
    return this.bytes.subarray(from, this.#at);
  }
}

/** The sum that the format ends with. */
export function fossilChecksum(bytes: Uint8Array): number {
  let sum = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    sum = (sum + (((bytes[at] ?? 0) << (8 * (3 - (at & 3)))) >>> 0)) >>> 0;
  }
  return sum;
}

/** Decodes deltas in the Fossil format. */
export const fossil: DeltaDecoder = {
  algorithm: 'fossil',
  apply(base, delta) {
    const reader = new Reader(delta);
    const length = reader.number();
    if (reader.sign() !== '\n' || length > LONGEST) throw wrong();
    const target = new Uint8Array(length);
    let at = 0;
    const put = (bytes: Uint8Array): void => {
      if (at + bytes.length > length) throw wrong();
      target.set(bytes, at);
      at += bytes.length;
    };
    for (;;) {
      const number = reader.number();
      const sign = reader.sign();
      if (sign === ':') put(reader.take(number));
      else if (sign === '@') {
        const from = reader.number();
        if (reader.sign() !== ',' || from + number > base.length) throw wrong();
        put(base.subarray(from, from + number));
      } else if (sign === ';') {
        if (at !== length || fossilChecksum(target) !== number) throw wrong();
        return target;
      } else throw wrong();
    }
  },
};
