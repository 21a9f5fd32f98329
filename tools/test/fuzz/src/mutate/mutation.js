/**
 * @typedef {object} Material what a mutation may draw from
 * @property {import('../random.js').Random} random
 * @property {readonly Buffer[]} inputs other inputs of the same target; never empty
 * @property {readonly Buffer[]} tokens pieces that mean something to the target; never empty
 */

/**
 * Makes an input of an input. What it is given stays as it is; when nothing can be done the answer is the same bytes.
 * @typedef {(bytes: Buffer, material: Material) => Buffer} Mutation
 */

/** Frames may be this large; nothing that is mutated grows beyond it. */
export const LARGEST_INPUT = 65_536;

/** A place in the bytes and how many to take there. @param {Buffer} bytes @param {import('../random.js').Random} random */
export function rangeIn(bytes, random) {
  const start = random.below(bytes.length + 1);
  return { start, end: Math.min(bytes.length, start + 1 + random.size(bytes.length - start + 1)) };
}

/** @param {Buffer} bytes @param {number} start @param {number} end @param {Buffer} replacement */
export const replaced = (bytes, start, end, replacement) =>
  Buffer.concat([bytes.subarray(0, start), replacement, bytes.subarray(end)]);
