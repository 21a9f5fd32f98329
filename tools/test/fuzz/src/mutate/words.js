// Mutations that see words, numbers and lists between separators, as in names, queries and headers.
import { FIELD_END, joinFields, splitFields } from '../text.js';
import { replaced } from './mutation.js';

/** @typedef {import('./mutation.js').Mutation} Mutation */

const WORD = /[A-Za-z0-9_$-]+/g;
const SEPARATORS = ['&', ',', ':', '.', '#', '/', '=', '-', '*', '␞', ' '];

/** Where a word stands; null when there is none. Looks at the first bytes only.
 * @param {Buffer} bytes @param {import('../random.js').Random} random */
function someWord(bytes, random) {
  const words = [...bytes.toString('latin1', 0, 4096).matchAll(WORD)];
  if (words.length === 0) return null;
  const { 0: word, index } = random.pick(words);
  return { start: index, end: index + word.length, word };
}

/** @type {Mutation} */
const insertToken = (bytes, { random, tokens }) => {
  const at = random.below(bytes.length + 1);
  return replaced(bytes, at, at, random.pick(tokens));
};

/** @type {Mutation} */
const replaceWord = (bytes, { random, tokens, inputs }) => {
  const found = someWord(bytes, random);
  if (found === null) return bytes;
  const other = random.pick(inputs);
  const theirs = random.oneIn(2) ? someWord(other, random) : null;
  const word = theirs === null ? random.pick(tokens) : other.subarray(theirs.start, theirs.end);
  return replaced(bytes, found.start, found.end, word);
};

/** @type {Mutation} */
const changeCase = (bytes, { random }) => {
  const found = someWord(bytes, random);
  if (found === null) return bytes;
  const turned = random.oneIn(2) ? found.word.toUpperCase() : found.word.toLowerCase();
  return replaced(bytes, found.start, found.end, Buffer.from(turned));
};

/** @type {Mutation} */
const percentEncode = (bytes, { random }) => {
  const at = random.below(bytes.length);
  const code = (bytes[at] ?? 0).toString(16).padStart(2, '0');
  return replaced(bytes, at, at + 1, Buffer.from(`%${random.oneIn(2) ? code : code.toUpperCase()}`));
};

const NUMBERS = [
  '0',
  '1',
  '-1',
  '255',
  '256',
  '007',
  '600',
  '601',
  '4294967296',
  '9007199254740993',
  '1e400',
  '1.5',
];

/** @type {Mutation} */
const replaceNumber = (bytes, { random }) => {
  const numbers = [...bytes.toString('latin1', 0, 4096).matchAll(/\d+/g)];
  if (numbers.length === 0) return bytes;
  const { 0: digits, index } = random.pick(numbers);
  const near = String(BigInt(digits.slice(0, 30)) + BigInt(random.below(5) - 2));
  const other = random.oneIn(2) ? near : random.pick(NUMBERS);
  return replaced(bytes, index, index + digits.length, Buffer.from(other));
};

/** Leaves out, repeats or exchanges pieces of a list. @type {Mutation} */
const shuffleList = (bytes, { random }) => {
  const present = SEPARATORS.filter((one) => bytes.includes(one));
  if (present.length === 0) return bytes;
  const separator = random.pick(present);
  const pieces = bytes.toString('latin1').split(Buffer.from(separator).toString('latin1'));
  const from = random.below(pieces.length);
  const to = random.below(pieces.length);
  const piece = pieces[from] ?? '';
  if (random.oneIn(3)) pieces.splice(to, 0, piece);
  else if (random.oneIn(2)) pieces.splice(from, 1);
  else [pieces[from], pieces[to]] = [pieces[to] ?? '', piece];
  return Buffer.from(pieces.join(Buffer.from(separator).toString('latin1')), 'latin1');
};

/** Takes one field from another input. @type {Mutation} */
const borrowField = (bytes, { random, inputs }) => {
  if (!bytes.includes(FIELD_END)) return bytes;
  const fields = splitFields(bytes);
  const theirs = splitFields(random.pick(inputs));
  const at = random.below(fields.length);
  fields[at] = theirs[at] ?? random.pick(theirs);
  return joinFields(fields);
};

/** @type {readonly Mutation[]} */
export const WORD_MUTATIONS = [
  insertToken,
  replaceWord,
  changeCase,
  percentEncode,
  replaceNumber,
  shuffleList,
  borrowField,
];
