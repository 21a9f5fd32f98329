const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** A worker that has lived this long did not fail because of what made the one before fail. */
const LONG_LIFE_MS = 60_000;

/** How often in a row a worker has ended soon, once this one is counted; one that stopped in order starts anew. */
export function failuresAfter(
  failures: number,
  { code, livedMs }: { readonly code: number; readonly livedMs: number },
): number {
  if (code === 0) return 0;
  return livedMs >= LONG_LIFE_MS ? 1 : failures + 1;
}

/** The pause before a worker is started again: none after an orderly stop, else 500 ms doubling to 30 s. */
export const restartPauseMs = (failures: number): number =>
  failures === 0 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
