/** Below it, the search of the engine is fast even at its worst, which is the product of both lengths. */
const CHEAP = 1_000_000;

/** Steps of an evaluation that a search takes, at its worst. */
export function searchSteps(text: string, piece: string): number {
  const product = text.length * piece.length;
  return product <= CHEAP ? product / 64 : (text.length + piece.length) / 4;
}

/** Whether one text contains the other. Linear in both, so that no input is slow. */
export function containsText(text: string, piece: string): boolean {
  if (text.length * piece.length <= CHEAP) return text.includes(piece);
  const borders = bordersOf(piece);
  let matched = 0;
  for (let at = 0; at < text.length; at += 1) {
    while (matched > 0 && text[at] !== piece[matched]) matched = borders[matched - 1] ?? 0;
    if (text[at] === piece[matched]) matched += 1;
    if (matched === piece.length) return true;
  }
  return false;
}

/** For each beginning of a text, how long the longest piece is that it both begins and ends with. */
function bordersOf(piece: string): Uint32Array {
  const borders = new Uint32Array(piece.length);
  let length = 0;
  for (let at = 1; at < piece.length; at += 1) {
    while (length > 0 && piece[at] !== piece[length]) length = borders[length - 1] ?? 0;
    if (piece[at] === piece[length]) length += 1;
    borders[at] = length;
  }
  return borders;
}
