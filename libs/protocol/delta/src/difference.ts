/** A piece of the target: taken from the base, or from the target itself because the base has no such bytes. */
export interface Piece {
  readonly from: 'base' | 'target';
  readonly start: number;
  readonly length: number;
}

/** Bytes that are looked for together. Shorter pieces of the base inside the target are not found. */
const BLOCK = 16;
/** A shorter beginning or end in common is cheaper written again than named. */
const SHORTEST_COPY = 3;
const FACTOR = 0x01000193;
/** Weight of the first byte of a block in its hash. */
const FIRST_WEIGHT = Array.from({ length: BLOCK - 1 }).reduce<number>((power) => Math.imul(power, FACTOR), 1);

/**
 * Returns the target as pieces in order. Common prefix and suffix are taken first, since messages of one channel
 * mostly differ in the middle; there, blocks of the base are found by a rolling hash with one candidate each. Time
 * and memory are linear in base and target, for any content.
 */
export function difference(base: Uint8Array, target: Uint8Array): Piece[] {
  const prefix = worthwhile(commonPrefix(base, target));
  const suffix = worthwhile(commonSuffix(base, target, prefix));
  const pieces: Piece[] = [];
  if (prefix > 0) pieces.push({ from: 'base', start: 0, length: prefix });
  middle(base, target, prefix, target.length - suffix, pieces);
  if (suffix > 0) pieces.push({ from: 'base', start: base.length - suffix, length: suffix });
  return pieces;
}

const worthwhile = (length: number): number => (length < SHORTEST_COPY ? 0 : length);

function commonPrefix(base: Uint8Array, target: Uint8Array): number {
  const most = Math.min(base.length, target.length);
  let length = 0;
  while (length < most && base[length] === target[length]) length += 1;
  return length;
}

function commonSuffix(base: Uint8Array, target: Uint8Array, prefix: number): number {
  const most = Math.min(base.length, target.length) - prefix;
  let length = 0;
  while (length < most && base[base.length - 1 - length] === target[target.length - 1 - length]) length += 1;
  return length;
}

/** The pieces of target[from, to). */
function middle(base: Uint8Array, target: Uint8Array, from: number, to: number, pieces: Piece[]): void {
  let unmatched = from;
  if (to - from >= BLOCK && base.length >= BLOCK) {
    const blocks = blocksOf(base);
    let at = from;
    let hash = hashAt(target, at);
    while (at + BLOCK <= to) {
      const match = matchAt(base, target, { at, earliest: unmatched, to }, blocks.get(hash));
      if (match === null) {
        hash = rolled(hash, target, at);
        at += 1;
        continue;
      }
      pushTarget(pieces, unmatched, match.start);
      pieces.push({ from: 'base', start: match.base, length: match.length });
      unmatched = match.start + match.length;
      at = unmatched;
      if (at + BLOCK <= to) hash = hashAt(target, at);
    }
  }
  pushTarget(pieces, unmatched, to);
}

function pushTarget(pieces: Piece[], start: number, end: number): void {
  if (end > start) pieces.push({ from: 'target', start, length: end - start });
}

/** Offset of each complete block of the base; of equal hashes the first. */
function blocksOf(base: Uint8Array): ReadonlyMap<number, number> {
  const blocks = new Map<number, number>();
  for (let at = 0; at + BLOCK <= base.length; at += BLOCK) {
    const hash = hashAt(base, at);
    if (!blocks.has(hash)) blocks.set(hash, at);
  }
  return blocks;
}

/** Extends a matching block of the base at `at` in both directions; null if it does not match. */
function matchAt(
  base: Uint8Array,
  target: Uint8Array,
  bounds: { readonly at: number; readonly earliest: number; readonly to: number },
  candidate: number | undefined,
): { readonly start: number; readonly base: number; readonly length: number } | null {
  if (candidate === undefined) return null;
  const { at, earliest, to } = bounds;
  let ahead = 0;
  while (
    at + ahead < to &&
    candidate + ahead < base.length &&
    base[candidate + ahead] === target[at + ahead]
  ) {
    ahead += 1;
  }
  if (ahead < BLOCK) return null;
  let back = 0;
  while (at - back > earliest && candidate > back && base[candidate - back - 1] === target[at - back - 1]) {
    back += 1;
  }
  return { start: at - back, base: candidate - back, length: ahead + back };
}

function hashAt(bytes: Uint8Array, at: number): number {
  let hash = 0;
  for (let next = at; next < at + BLOCK; next += 1) hash = (Math.imul(hash, FACTOR) + (bytes[next] ?? 0)) | 0;
  return hash;
}

/** The hash of the block one byte further. */
function rolled(hash: number, bytes: Uint8Array, at: number): number {
  const without = (hash - Math.imul(bytes[at] ?? 0, FIRST_WEIGHT)) | 0;
  return (Math.imul(without, FACTOR) + (bytes[at + BLOCK] ?? 0)) | 0;
}
