/** Ends every part of a key. Smaller than all that a part can contain once it is escaped. */
const END = '\u0001';
/** The smallest character that can follow a key whose last `END` is replaced by it. */
const BEHIND = '\u0002';
/** Digits of a number in a key; that of the largest safe integer. */
const DIGITS = 16;
// oxlint-disable-next-line no-control-regex
const RESERVED = /[\u0000-\u0002]/g;
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\u0000', '\u0002\u0010'],
  ['\u0001', '\u0002\u0011'],
  ['\u0002', '\u0002\u0012'],
]);
// oxlint-disable-next-line no-control-regex
const ESCAPED = /\u0002[\u0010-\u0012]/g;
const CHARACTERS = new Map([...ESCAPES].map(([character, escape]) => [escape, character]));

export type KeyPart = string | number;

/**
 * Encodes columns as one text whose byte order is the order of the columns, compared one after the other: texts by their
 * UTF-8 bytes, numbers (integers from 0 to 2^53 − 1) by value. No key is a prefix of another one with as many parts.
 */
export function keyOf(...parts: readonly KeyPart[]): string {
  let key = '';
  for (const part of parts) key += `${typeof part === 'number' ? digitsOf(part) : escaped(part)}${END}`;
  return key;
}

/** Decodes the texts of a key; numbers come as their digits. */
export function partsOf(key: string): string[] {
  return key
    .slice(0, -1)
    .split(END)
    .map((part) =>
      part.includes(BEHIND) ? part.replaceAll(ESCAPED, (escape) => CHARACTERS.get(escape) ?? escape) : part,
    );
}

/** The exclusive upper bound of a key and of all keys that begin with its parts; also the lower bound of those behind it. */
export const behind = (key: string): string => `${key.slice(0, -1)}${BEHIND}`;

/** The smallest key that is larger. */
export const after = (key: string): string => `${key}${END}`;

/** A number from 0 to `count` − 1 that depends on the text alone (FNV-1a, mixed). */
export function bucketOf(text: string, count: number): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return ((hash ^ (hash >>> 13)) >>> 0) % count;
}

const digitsOf = (value: number): string =>
  String(Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.trunc(value)))).padStart(DIGITS, '0');

const escaped = (text: string): string =>
  text.search(RESERVED) === -1
    ? text
    : text.replaceAll(RESERVED, (character) => ESCAPES.get(character) ?? character);
