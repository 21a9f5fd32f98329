import { afterString } from './skip.js';

const QUOTE = 34;
/** All JSON white space is at or below the space, and no other character there is valid between tokens. */
const SPACE = 32;

/**
 * Text that JSON.parse has accepted, without white space between its tokens; strings, and the digits of numbers, stay
 * as written. Linear in the text.
 */
export function compactJson(text: string): string {
  const pieces: string[] = [];
  let start = 0;
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = afterString(text, at);
    else if (code <= SPACE) {
      if (at > start) pieces.push(text.slice(start, at));
      at += 1;
      start = at;
    } else at += 1;
  }
  if (start === 0) return text;
  pieces.push(text.slice(start));
  return pieces.join('');
}
