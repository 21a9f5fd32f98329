/** How long to wait before each attempt to connect again. */
export interface BackoffOptions {
  /** Before the first attempt. Default 1000. */
  readonly initialMs?: number;
  /** The longest. Default 30,000. */
  readonly maxMs?: number;
}

/**
 * The wait before an attempt, counted from 0: doubled each time up to the longest, then anything between half of it and
 * all of it, so that clients that were cut off together do not come back together. `random` gives 0 to 1.
 */
export function backoffMs(
  attempt: number,
  options: BackoffOptions = {},
  random: () => number = Math.random,
): number {
  const { initialMs = 1000, maxMs = 30_000 } = options;
  const full = Math.min(maxMs, initialMs * 2 ** Math.min(attempt, 30));
  return full * (0.5 + random() / 2);
}
