import type { Problem } from '../problem.js';

/** Returns the edit distance of two words. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + same));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** The longest key worth comparing; anything longer is not a typing mistake. */
const LONGEST = 80;

/** The known word a typing mistake was probably meant to be; null when none is close. */
function nearest(word: string, known: readonly string[]): string | null {
  if (word.length > LONGEST) return null;
  let best: string | null = null;
  let least = Math.max(2, Math.floor(word.length / 2));
  for (const candidate of known) {
    const edits = distance(word.toLowerCase(), candidate.toLowerCase());
    if (edits < least || (edits === least && best === null)) {
      best = candidate;
      least = edits;
    }
  }
  return best;
}

/** Builds the problem of an unknown key; `known` are the valid keys at its position. */
export function unknownKey(path: string, known: readonly string[]): Problem {
  const close = nearest(path.slice(path.lastIndexOf('.') + 1), known);
  return { path, message: close === null ? 'unknown key' : `unknown key (did you mean "${close}"?)` };
}
