// Steps over text that JSON.parse has accepted: it is known to be valid, only where things are is not. Linear in the
// text and flat, however deep it nests.

const QUOTE = 34;
const COMMA = 44;
const BACKSLASH = 92;
const LIST_OPEN = 91;
const LIST_CLOSE = 93;
const OBJECT_OPEN = 123;
const OBJECT_CLOSE = 125;
/** All white space of JSON is at or below the space, and nothing else there may stand between tokens. */
const SPACE = 32;

/** Where the string that opens at `at` is over. */
function afterString(text: string, at: number): number {
  let quote = text.indexOf('"', at + 1);
  while (quote >= 0 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote < 0 ? text.length : quote + 1;
}

/** An odd number of backslashes before a quote keeps the string open. */
function isEscaped(text: string, quote: number): boolean {
  let first = quote;
  while (first > 0 && text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
  return (quote - first) % 2 === 1;
}

/** The text without white space between its tokens; strings, and the digits of numbers, stay as written. */
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

/** The elements of a list, each as written (with white space around it). None for the empty list. */
export function rawElements(listText: string): string[] {
  const elements: string[] = [];
  const open = listText.indexOf('[') + 1;
  let start = open;
  let depth = 1;
  let at = open;
  while (at < listText.length && depth > 0) {
    const code = listText.charCodeAt(at);
    if (code === QUOTE) {
      at = afterString(listText, at);
      continue;
    }
    if (code === OBJECT_OPEN || code === LIST_OPEN) depth += 1;
    else if (code === OBJECT_CLOSE || code === LIST_CLOSE) depth -= 1;
    if (depth === 0 || (depth === 1 && code === COMMA)) {
      elements.push(listText.slice(start, at));
      start = at + 1;
    }
    at += 1;
  }
  return elements.length === 1 && elements[0]?.trim() === '' ? [] : elements;
}
