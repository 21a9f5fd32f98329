/** The delays between reconnect attempts. */
export interface BackoffOptions {
  /** The longest wait before the first attempt. Default 1000. */
  readonly initialMs?: number;
  /** The longest of all. Default 30,000. */
  readonly maxMs?: number;
}

/**
 * Returns the delay before an attempt, counted from 0: random up to a bound that doubles with each attempt (full
 * jitter), so that clients disconnected together do not reconnect together. `random` returns 0 to 1.
 */
export function backoffMs(
  attempt: number,
  options: BackoffOptions = {},
  random: () => number = Math.random,
): number {
  const { initialMs = 1000, maxMs = 30_000 } = options;
  return Math.min(maxMs, initialMs * 2 ** Math.min(attempt, 30)) * random();
}
