// Mutations that know nothing about what the bytes mean.
import { LARGEST_INPUT, rangeIn, replaced } from './mutation.js';

/** @typedef {import('./mutation.js').Mutation} Mutation */

const TELLING_BYTES = [
  0, 1, 9, 10, 13, 32, 34, 35, 37, 38, 42, 44, 46, 58, 61, 91, 92, 93, 123, 125, 127, 128, 237, 255,
];

/** @type {Mutation} */
const flipBit = (bytes, { random }) => {
  const at = random.below(bytes.length);
  const changed = Buffer.from(bytes);
  changed[at] = (changed[at] ?? 0) ^ (1 << random.below(8));
  return changed.subarray(0, bytes.length);
};

/** @type {Mutation} */
const putTellingByte = (bytes, { random }) => {
  const at = random.below(bytes.length + 1);
  return replaced(bytes, at, at + random.below(2), Buffer.from([random.pick(TELLING_BYTES)]));
};

/** @type {Mutation} */
const insertNoise = (bytes, { random }) => {
  const at = random.below(bytes.length + 1);
  return replaced(
    bytes,
    at,
    at,
    Buffer.from(Array.from({ length: 1 + random.size(32) }, () => random.below(256))),
  );
};

/** @type {Mutation} */
const drop = (bytes, { random }) => {
  const { start, end } = rangeIn(bytes, random);
  return replaced(bytes, start, end, Buffer.alloc(0));
};

/** @type {Mutation} */
const truncate = (bytes, { random }) => bytes.subarray(0, random.below(bytes.length + 1));

/** Repeats a piece: long texts, deep nesting, many members. @type {Mutation} */
const repeat = (bytes, { random }) => {
  const { start, end } = rangeIn(bytes, random);
  const room = LARGEST_INPUT - bytes.length;
  const piece = bytes.subarray(start, end);
  if (piece.length === 0 || room < piece.length) return bytes;
  const times = 1 + random.size(random.oneIn(50) ? Math.floor(room / piece.length) : 16);
  return replaced(
    bytes,
    end,
    end,
    Buffer.concat(Array.from({ length: times }, () => piece)).subarray(0, room),
  );
};

/** @type {Mutation} */
const moveAway = (bytes, { random }) => {
  const { start, end } = rangeIn(bytes, random);
  const rest = replaced(bytes, start, end, Buffer.alloc(0));
  const at = random.below(rest.length + 1);
  return replaced(rest, at, at, bytes.subarray(start, end));
};

/** The beginning of one input with the end of another. @type {Mutation} */
const splice = (bytes, { random, inputs }) => {
  const other = random.pick(inputs);
  return Buffer.concat([
    bytes.subarray(0, random.below(bytes.length + 1)),
    other.subarray(random.below(other.length + 1)),
  ]);
};

/** @type {Mutation} */
const borrow = (bytes, { random, inputs }) => {
  const other = random.pick(inputs);
  const { start, end } = rangeIn(other, random);
  const at = random.below(bytes.length + 1);
  return replaced(bytes, at, at, other.subarray(start, end));
};

/** @type {readonly Mutation[]} */
export const BYTE_MUTATIONS = [
  flipBit,
  putTellingByte,
  insertNoise,
  drop,
  truncate,
  repeat,
  moveAway,
  splice,
  borrow,
];
