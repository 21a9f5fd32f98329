/** How long to wait before each attempt to connect again. */
export interface BackoffOptions {
  /** The longest wait before the first attempt. Default 1000. */
  readonly initialMs?: number;
  /** The longest of all. Default 30,000. */
  readonly maxMs?: number;
}

/**
 * The wait before an attempt, counted from 0: anything up to a bound that doubles each time, so that clients that were cut
 * off together do not come back together. `random` gives 0 to 1.
 */
export function backoffMs(
  attempt: number,
  options: BackoffOptions = {},
  random: () => number = Math.random,
): number {
  const { initialMs = 1000, maxMs = 30_000 } = options;
  return Math.min(maxMs, initialMs * 2 ** Math.min(attempt, 30)) * random();
}
