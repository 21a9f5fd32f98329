/** "expand 32-byte k", the constant of keys of 32 bytes, as little-endian words. */
const CONSTANT = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574] as const;

/** Word indexes of the four quarter rounds of a column and of a row round. */
const QUARTERS: readonly (readonly [number, number, number, number])[] = [
  [0, 4, 8, 12],
  [5, 9, 13, 1],
  [10, 14, 2, 6],
  [15, 3, 7, 11],
  [0, 1, 2, 3],
  [5, 6, 7, 4],
  [10, 11, 8, 9],
  [15, 12, 13, 14],
];
const SHIFTS = [7, 9, 13, 18] as const;

export const wordsOf = (bytes: Uint8Array): number[] => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: bytes.length / 4 }, (_, at) => view.getUint32(at * 4, true));
};

function bytesOfWords(words: readonly number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(words.length * 4));
  words.forEach((word, at) => view.setUint32(at * 4, word, true));
  return new Uint8Array(view.buffer);
}

/** The block before its rounds: constant, key, and four words of input. */
function blockOf(key: readonly number[], input: readonly number[]): number[] {
  const [c0, c1, c2, c3] = CONSTANT;
  return [c0, ...key.slice(0, 4), c1, ...input, c2, ...key.slice(4), c3];
}

function rounds(block: readonly number[]): Int32Array {
  const words = Int32Array.from(block);
  for (let double = 0; double < 10; double += 1) {
    for (const quarter of QUARTERS) {
      SHIFTS.forEach((shift, step) => {
        const [first = 0, to = 0, last = 0] = [
          quarter[step],
          quarter[(step + 1) % 4],
          quarter[(step + 3) % 4],
        ];
        const sum = ((words[first] ?? 0) + (words[last] ?? 0)) | 0;
        words[to] = (words[to] ?? 0) ^ ((sum << shift) | (sum >>> (32 - shift)));
      });
    }
  }
  return words;
}

/** Derives a key from a key and 16 bytes of a nonce (HSalsa20). */
function derived(key: readonly number[], nonce: readonly number[]): number[] {
  const words = rounds(blockOf(key, nonce));
  return [0, 5, 10, 15, 6, 7, 8, 9].map((at) => words[at] ?? 0);
}

/** The first bytes of the XSalsa20 key stream of a 32-byte key and a 24-byte nonce. */
export function keyStream(key: Uint8Array, nonce: Uint8Array, length: number): Uint8Array {
  const n = wordsOf(nonce);
  const inner = derived(wordsOf(key), n.slice(0, 4));
  const stream = new Uint8Array(length);
  for (let block = 0; block * 64 < length; block += 1) {
    const before = blockOf(inner, [...n.slice(4), block, 0]);
    const after = rounds(before).map((word, at) => word + (before[at] ?? 0));
    stream.set(bytesOfWords(Array.from(after)).subarray(0, length - block * 64), block * 64);
  }
  return stream;
}
