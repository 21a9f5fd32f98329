const MAX_DISTANCE = 2;
/** A longer word is not compared: its distance costs time in proportion to its length. */
const MAX_LENGTH = 80;

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, substitution));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** Returns the known word within two edits of `word`, the closest first; null if none is that close. */
function nearest(word: string, known: readonly string[]): string | null {
  if (word.length > MAX_LENGTH) return null;
  const ranked = known
    .map((one) => ({ one, distance: editDistance(word.toLowerCase(), one.toLowerCase()) }))
    .filter(({ distance }) => distance <= MAX_DISTANCE)
    .sort((a, b) => a.distance - b.distance);
  return ranked[0]?.one ?? null;
}

/** `unknown command "pubish"; did you mean "publish"?`, or the list of known words. */
export function unknownWord(kind: string, word: string, known: readonly string[]): string {
  const close = nearest(word, known);
  const hint = close === null ? `expected one of ${known.join(', ')}` : `did you mean "${close}"?`;
  return `unknown ${kind} "${word}"; ${hint}`;
}
