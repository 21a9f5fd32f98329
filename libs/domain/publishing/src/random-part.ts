import { randomFillSync } from 'node:crypto';

const drawn = Buffer.allocUnsafe(4096);
let next = drawn.length;

/** So many random bytes, at most 4096. They are drawn for many ids at a time: one by one that is most of what an id costs. */
export function randomPart(length: number): Buffer {
  if (next + length > drawn.length) {
    randomFillSync(drawn);
    next = 0;
  }
  const part = Buffer.from(drawn.subarray(next, next + length));
  next += length;
  return part;
}
