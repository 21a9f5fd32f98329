// Steps over pieces of text that JSON.parse has accepted: what is valid is already known, only where things end is
// not. On any other text the answers mean nothing, but every step still ends within the text.

const QUOTE = 34;
const COMMA = 44;
const BACKSLASH = 92;
const SPACE = 32;
const LIST_OPEN = 91;
const LIST_CLOSE = 93;
const OBJECT_OPEN = 123;
const OBJECT_CLOSE = 125;

/** Where the next character stands that is no white space of JSON. */
export function afterWhitespace(text: string, at: number): number {
  let next = at;
  // All white space of JSON is at or below the space, and nothing else there may stand between tokens.
  while (next < text.length && text.charCodeAt(next) <= SPACE) next += 1;
  return next;
}

/** Where the string that opens at `at` is over. */
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

/** Where the value that begins at `at` is over. Counts depth instead of recursing: nesting has no bound here. */
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
