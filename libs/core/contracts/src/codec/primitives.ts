import type { Json, Shape } from './shape.js';
import { withinBytes } from './size.js';

/** A text with a length in UTF-8 bytes. */
export function text(minBytes: number, maxBytes: number): Shape<string> {
  const problem = `must be a text of ${minBytes} to ${maxBytes} bytes`;
  return (value) => (typeof value === 'string' && fits(value, minBytes, maxBytes) ? null : problem);
}

function fits(value: string, minBytes: number, maxBytes: number): boolean {
  if (!withinBytes(value, maxBytes)) return false;
  return value.length >= minBytes || Buffer.byteLength(value) >= minBytes;
}

/** A text that matches; give a pattern that runs in linear time. */
export function matching(pattern: RegExp, what: string): Shape<string> {
  const problem = `must be ${what}`;
  return (value) => (typeof value === 'string' && pattern.test(value) ? null : problem);
}

/** An integer within the exact range of JSON numbers. */
export function integer(min: number, max: number = Number.MAX_SAFE_INTEGER): Shape<number> {
  const problem = `must be an integer from ${min} to ${max}`;
  return (value) =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max ? null : problem;
}

/** Any number from zero up. */
export const amount: Shape<number> = (value) =>
  typeof value === 'number' && value >= 0 ? null : 'must be a number from 0';

export const flag: Shape<boolean> = (value) => (typeof value === 'boolean' ? null : 'must be true or false');

/** One of a few words. */
export function oneOf<const Words extends readonly string[]>(...words: Words): Shape<Words[number]> {
  const known: ReadonlySet<unknown> = new Set(words);
  const problem = `must be one of ${words.join(', ')}`;
  return (value) => (known.has(value) ? null : problem);
}

/** Any value that came out of JSON. */
export const json: Shape<Json> = (value) => (value === undefined ? 'is missing' : null);
