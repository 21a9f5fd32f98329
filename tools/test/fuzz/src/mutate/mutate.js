import { BYTE_MUTATIONS } from './bytes.js';
import { JSON_MUTATIONS } from './json.js';
import { LARGEST_INPUT } from './mutation.js';
import { WORD_MUTATIONS } from './words.js';
import { words } from '../words.js';

/** What any reader of text may stumble over. */
const COMMON_TOKENS = [
  ...words(`
    __proto__ constructor null %00 % %zz %C3%28 + " * 1e400 -1
  `),
  '\0',
  '\n',
  '\r\n',
  ' ',
  '\u2028',
  '\u00e4',
  '\ud83d\ude00',
  '\ufeff',
  '\ufffd',
  '\\',
  '\\u0000',
  '\\ud800',
  '␞',
  'x'.repeat(300),
].map((text) => Buffer.from(text));

/** Bytes that are no UTF-8: a lone continuation, overlong forms, halves of surrogate pairs, beyond the last one. */
const BROKEN_UTF8 = [
  [0x80],
  [0xc0, 0xaf],
  [0xe0, 0x80, 0xaf],
  [0xed, 0xa0, 0x80],
  [0xed, 0xbf, 0xbf],
  [0xf4, 0x90, 0x80, 0x80],
  [0xff],
].map((bytes) => Buffer.from(bytes));

/** The tokens of a target together with those every target gets. @param {readonly string[]} own @returns {Buffer[]} */
export const allTokens = (own) => [...own.map((text) => Buffer.from(text)), ...COMMON_TOKENS, ...BROKEN_UTF8];

const KINDS = [BYTE_MUTATIONS, WORD_MUTATIONS, WORD_MUTATIONS, JSON_MUTATIONS, JSON_MUTATIONS];

/** A new input made of those there are, never larger than a frame may be. @type {(material: import('./mutation.js').Material) => Buffer} */
export function mutate(material) {
  const { random, inputs } = material;
  let bytes = random.pick(inputs);
  do {
    bytes = random.pick(random.pick(KINDS))(bytes, material).subarray(0, LARGEST_INPUT);
  } while (random.oneIn(2));
  return bytes;
}
