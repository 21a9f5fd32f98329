import type { DeltaDecoder } from '../channel/delta-bases.js';
import { codeTable, type Instruction } from './vcdiff-code-table.js';

/** No text of the service is longer; a length beyond it is refused before memory is taken. */
const LONGEST = 64 * 1024 * 1024;
const MAGIC = [0xd6, 0xc3, 0xc4, 0];
const FROM_SOURCE = 1;
const FROM_TARGET = 2;
/** Written by some encoders: a sum of the target, which is not checked here, follows the lengths. */
const WITH_CHECKSUM = 4;
const NEAR = 4;
const SAME = 3;

const wrong = (): Error => new Error('The difference is not of the base');
let table: readonly (readonly Instruction[])[] | null = null;

class Reader {
  #at = 0;

  constructor(readonly bytes: Uint8Array) {}

  get isAtEnd(): boolean {
    return this.#at >= this.bytes.length;
  }

  byte(): number {
    const byte = this.bytes[this.#at++];
    if (byte === undefined) throw wrong();
    return byte;
  }

  /** Reads a variable-length integer: seven bits per byte, the highest bit marks a continuation. */
  number(): number {
    let value = 0;
    for (;;) {
      const byte = this.byte();
      value = value * 128 + (byte & 127);
      if (value > LONGEST) throw wrong();
      if (byte < 128) return value;
    }
  }

  take(count: number): Uint8Array {
    const from = this.#at;
    this.#at += count;
    if (this.#at > this.bytes.length) throw wrong();
    return this.bytes.subarray(from, this.#at);
  }
}

/** Addresses that were used lately: later ones are written by them. */
class Addresses {
  readonly #near = Array.from<number>({ length: NEAR }).fill(0);
  readonly #same = Array.from<number>({ length: SAME * 256 }).fill(0);
  #next = 0;

  read(mode: number, here: number, reader: Reader): number {
    const address =
      mode === 0
        ? reader.number()
        : mode === 1
          ? here - reader.number()
          : mode < 2 + NEAR
            ? (this.#near[mode - 2] ?? 0) + reader.number()
            : (this.#same[(mode - 2 - NEAR) * 256 + reader.byte()] ?? 0);
    if (address < 0 || address >= here) throw wrong();
    this.#near[this.#next] = address;
    this.#next = (this.#next + 1) % NEAR;
    this.#same[address % (SAME * 256)] = address;
    return address;
  }
}

/** Decodes one window against its segment of the source or of the output so far. */
function windowOf(reader: Reader, base: Uint8Array, before: Uint8Array): Uint8Array {
  const indicator = reader.byte();
  let segment = new Uint8Array(0);
  if ((indicator & (FROM_SOURCE | FROM_TARGET)) !== 0) {
    const size = reader.number();
    const from = reader.number();
    const whole = (indicator & FROM_SOURCE) === 0 ? before : base;
    if (from + size > whole.length) throw wrong();
    segment = whole.slice(from, from + size);
  }
  reader.number();
  const length = reader.number();
  if (reader.byte() !== 0) throw wrong();
  const sizes = [reader.number(), reader.number(), reader.number()] as const;
  if ((indicator & WITH_CHECKSUM) !== 0) reader.take(4);
  const data = new Reader(reader.take(sizes[0]));
  const instructions = new Reader(reader.take(sizes[1]));
  const addresses = new Reader(reader.take(sizes[2]));
  return run(segment, length, { data, instructions, addresses });
}

function run(
  segment: Uint8Array,
  length: number,
  { data, instructions, addresses }: Readonly<Record<'data' | 'instructions' | 'addresses', Reader>>,
): Uint8Array {
  // Copies may extend from the segment into the bytes they produce: both share one address space.
  const space = new Uint8Array(segment.length + length);
  space.set(segment);
  let at = segment.length;
  const known = new Addresses();
  table ??= codeTable();
  while (!instructions.isAtEnd) {
    for (const { kind, size: fixed, mode } of table[instructions.byte()] ?? []) {
      const size = fixed === 0 ? instructions.number() : fixed;
      if (at + size > space.length) throw wrong();
      if (kind === 'add') space.set(data.take(size), at);
      else if (kind === 'run') space.fill(data.byte(), at, at + size);
      else {
        const from = known.read(mode, at, addresses);
        for (let done = 0; done < size; done += 1) space[at + done] = space[from + done] ?? 0;
      }
      at += size;
    }
  }
  if (at !== space.length) throw wrong();
  return space.subarray(segment.length);
}

/** Decodes VCDIFF deltas (RFC 3284) without secondary compression and with the default code table. */
export const vcdiff: DeltaDecoder = {
  algorithm: 'xdelta3',
  apply(base, delta) {
    const reader = new Reader(delta);
    // The version may be another letter where checksums are used; the rest of the format is the same.
    const magic = reader.take(4);
    if (MAGIC.slice(0, 3).some((byte, at) => byte !== magic[at])) throw wrong();
    const indicator = reader.byte();
    if ((indicator & ~WITH_CHECKSUM) !== 0) throw wrong();
    // The application's own header.
    if ((indicator & WITH_CHECKSUM) !== 0) reader.take(reader.number());
    let target: Uint8Array = new Uint8Array(0);
    while (!reader.isAtEnd) {
      const made = windowOf(reader, base, target);
      if (target.length + made.length > LONGEST) throw wrong();
      const both = new Uint8Array(target.length + made.length);
      both.set(target);
      both.set(made, target.length);
      target = both;
    }
    return target;
  },
};
