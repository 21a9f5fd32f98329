/** What a handler wants done with its job other than acknowledging it. Made by `defer` and `deadLetter`. */
export type Settlement =
  | { readonly kind: 'defer'; readonly delayMs: number }
  | { readonly kind: 'dead'; readonly reason: string };

const LONGEST_REASON = 200;

/**
 * Gives the job back for so long: the time has not come, or somebody else is at it. Not a failure, so it uses up no
 * attempt and the next delivery has the same attempt number.
 */
export function defer(delayMs: number): Settlement {
  return { kind: 'defer', delayMs: Number.isFinite(delayMs) ? Math.max(0, Math.ceil(delayMs)) : 0 };
}

/** Moves the job to the dead letters at once. The reason is a fixed text of the caller, cut at 200 characters. */
export function deadLetter(reason: string): Settlement {
  return { kind: 'dead', reason: reason.slice(0, LONGEST_REASON) };
}
