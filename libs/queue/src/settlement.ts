/** What a handler wants done with its job other than acknowledging it. Made by `defer` and `deadLetter`. */
export type Settlement =
  | { readonly kind: 'defer'; readonly delayMs: number; readonly data?: string }
  | { readonly kind: 'dead'; readonly reason: string };

const LONGEST_REASON = 200;

/**
 * Gives the job back for so long: the time has not come, or somebody else is at it. Not a failure, so it uses up no
 * attempt and the next delivery has the same attempt number.
 *
 * With `data` it has come a step further: it goes on with that instead of its own, and its attempts begin anew. It is
 * still the same job: it keeps its id, and enqueuing what it was at first under its id changes nothing.
 * Data that is too large for a job fails the delivery instead.
 */
export function defer(delayMs: number, data?: string): Settlement {
  const wholeMs = Number.isFinite(delayMs) ? Math.max(0, Math.ceil(delayMs)) : 0;
  return { kind: 'defer', delayMs: wholeMs, ...(data === undefined ? {} : { data }) };
}

/** Moves the job to the dead letters at once. The reason is a fixed text of the caller, cut at 200 characters. */
export function deadLetter(reason: string): Settlement {
  return { kind: 'dead', reason: reason.slice(0, LONGEST_REASON) };
}
