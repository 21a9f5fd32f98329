/** Rotations of the four steps of each round. */
const SHIFTS = [
  [7, 12, 17, 22],
  [5, 9, 14, 20],
  [4, 11, 16, 23],
  [6, 10, 15, 21],
] as const;

const SINES = Array.from({ length: 64 }, (_, index) => Math.floor(Math.abs(Math.sin(index + 1)) * 2 ** 32));

/** The message with its padding and length, as little-endian words. */
function wordsOf(bytes: Uint8Array): Uint32Array {
  const words = new Uint32Array(Math.ceil((bytes.length + 9) / 64) * 16);
  const put = (at: number, byte: number): void => {
    words[at >> 2] = (words[at >> 2] ?? 0) | (byte << ((at % 4) * 8));
  };
  bytes.forEach((byte, at) => put(at, byte));
  put(bytes.length, 0x80);
  words[words.length - 2] = bytes.length * 8;
  words[words.length - 1] = Math.floor(bytes.length / 2 ** 29);
  return words;
}

/** Mixes three words in a round, and returns which word of the block a step takes. */
type Round = readonly [(b: number, c: number, d: number) => number, (step: number) => number];

const FIRST_ROUND: Round = [(b, c, d) => (b & c) | (~b & d), (step) => step];
const ROUNDS: readonly Round[] = [
  FIRST_ROUND,
  [(b, c, d) => (d & b) | (~d & c), (step) => (5 * step + 1) % 16],
  [(b, c, d) => b ^ c ^ d, (step) => (3 * step + 5) % 16],
  [(b, c, d) => c ^ (b | ~d), (step) => (7 * step) % 16],
];

/** MD5 in lower-case hex, which WebCrypto lacks. The protocol uses it as a checksum of bodies, not for security. */
export function md5(bytes: Uint8Array): string {
  const words = wordsOf(bytes);
  const state = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476];
  for (let block = 0; block < words.length; block += 16) {
    let [a = 0, b = 0, c = 0, d = 0] = state;
    for (let step = 0; step < 64; step += 1) {
      const round = step >> 4;
      const [mix, wordAt] = ROUNDS[round] ?? FIRST_ROUND;
      const word = words[block + wordAt(step)] ?? 0;
      const sum = (a + mix(b, c, d) + (SINES[step] ?? 0) + word) | 0;
      const shift = SHIFTS[round]?.[step % 4] ?? 0;
      [a, d, c, b] = [d, c, b, (b + ((sum << shift) | (sum >>> (32 - shift)))) | 0];
    }
    [a, b, c, d].forEach((value, index) => (state[index] = ((state[index] ?? 0) + value) | 0));
  }
  return state
    .flatMap((word) => [0, 8, 16, 24].map((shift) => ((word >>> shift) & 255).toString(16).padStart(2, '0')))
    .join('');
}
