const MIN_MS = 1000;
const MAX_MS = 10_000;
const LEAST_MS = 100;

/** Situation that decides on the reconnect delay of a client. */
export type RetryReason = 'draining' | 'first' | 'full' | 'quota';

const BASE_MS: Readonly<Record<RetryReason, number>> = {
  first: MIN_MS,
  draining: MIN_MS,
  full: MAX_MS,
  quota: 3 * MAX_MS,
};

/** A reconnect delay, spread at random by half around its base. */
export const retryMs = (reason: RetryReason, leastMs = LEAST_MS): number =>
  Math.max(leastMs, Math.round(BASE_MS[reason] * (0.5 + Math.random())));
