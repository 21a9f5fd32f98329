export interface RetryOptions {
  readonly baseMs: number;
  readonly maxMs: number;
  /** Attempts answered with 500 before the event is dead. */
  readonly maxAttempts: number;
}

const JITTER = 0.2;

/** Exponential from `baseMs` to `maxMs`, ±20 %. `attempt` from 1. */
export function retryDelayMs(
  { baseMs, maxMs }: RetryOptions,
  attempt: number,
  random = Math.random(),
): number {
  const delayMs = Math.min(maxMs, baseMs * 2 ** Math.min(30, attempt - 1));
  return delayMs * (1 + JITTER * (2 * random - 1));
}
