const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** Lifetime after which a failure counts as independent of the previous one. */
const LONG_LIFE_MS = 60_000;

/** Returns the number of consecutive early failures, this one included; an orderly stop resets it. */
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
