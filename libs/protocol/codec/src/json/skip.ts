// Skips parts of a text that JSON.parse has accepted: only ends are searched, nothing is validated. On any other text
// the results are meaningless, but every step ends within the text.

const QUOTE = 34;
const COMMA = 44;
const BACKSLASH = 92;
const SPACE = 32;
const LIST_OPEN = 91;
const LIST_CLOSE = 93;
const OBJECT_OPEN = 123;
const OBJECT_CLOSE = 125;

/** Returns the offset of the next character that is no JSON white space. */
export function afterWhitespace(text: string, at: number): number {
  let next = at;
  // All JSON white space is at or below the space, and no other character there is valid between tokens.
  while (next < text.length && text.charCodeAt(next) <= SPACE) next += 1;
  return next;
}

/** Returns the offset after the string that opens at `at`. */
export function afterString(text: string, at: number): number {
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

/**
 * Returns the offset after the value that begins at `at`. Counts depth instead of recursing: nesting is unlimited
 * here.
 */
export function afterValue(text: string, at: number): number {
  const first = text.charCodeAt(at);
  if (first === QUOTE) return afterString(text, at);
  return first === OBJECT_OPEN || first === LIST_OPEN ? afterNested(text, at) : afterScalar(text, at);
}

function afterNested(text: string, at: number): number {
  let depth = 0;
  let next = at;
  while (next < text.length) {
    const code = text.charCodeAt(next);
    if (code === QUOTE) {
      next = afterString(text, next);
      continue;
    }
    next += 1;
    if (code === OBJECT_OPEN || code === LIST_OPEN) depth += 1;
    else if (code === OBJECT_CLOSE || code === LIST_CLOSE) {
      depth -= 1;
      if (depth === 0) return next;
    }
  }
  return text.length;
}

function afterScalar(text: string, at: number): number {
  let next = at;
  while (next < text.length && !endsScalar(text.charCodeAt(next))) next += 1;
  return next;
}

const endsScalar = (code: number): boolean =>
  code <= SPACE || code === COMMA || code === OBJECT_CLOSE || code === LIST_CLOSE;
