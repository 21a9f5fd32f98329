/** Outcome other than an acknowledgement, requested by a handler with `defer` or `deadLetter`. */
export type Settlement =
  | { readonly kind: 'defer'; readonly delayMs: number; readonly data?: string }
  | { readonly kind: 'dead'; readonly reason: string };

const LONGEST_REASON = 200;

/**
 * Returns the job for `delayMs`: it is not due yet, or another worker processes it. Not a failure, so no attempt is
 * used up and the next delivery has the same attempt number.
 * With `data` the job has made progress: its data is replaced and its attempts are reset. It keeps its id, and
 * enqueuing its first data under its id again has no effect. Data above the size limit fails the delivery instead.
 */
export function defer(delayMs: number, data?: string): Settlement {
  const wholeMs = Number.isFinite(delayMs) ? Math.max(0, Math.ceil(delayMs)) : 0;
  return { kind: 'defer', delayMs: wholeMs, ...(data === undefined ? {} : { data }) };
}

/** Moves the job to the dead letters at once. The reason is a fixed text of the caller, cut at 200 characters. */
export function deadLetter(reason: string): Settlement {
  return { kind: 'dead', reason: reason.slice(0, LONGEST_REASON) };
}
