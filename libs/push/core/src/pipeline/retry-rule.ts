import { bucketOf, sha256 } from '../hash.js';

export interface RetrySettings {
  readonly max_attempts: number;
  readonly initial_backoff_ms: number;
  readonly max_backoff_ms: number;
  readonly max_elapsed_secs: number;
  readonly jitter: boolean;
  readonly jitter_ratio_percent: number;
  readonly respect_retry_after: boolean;
}

/** The attempt that failed. */
export interface FailedAttempt {
  /** From 1. */
  readonly attempt: number;
  readonly firstAttemptAtMs: number;
  readonly expiresAtMs: number | null;
  /** Retry time requested by the provider; null: none. */
  readonly retryAtMs: number | null;
  readonly minimumWaitMs: number;
  readonly retryKey: string;
}

/** Deduplication key of a retry. */
export const retryKeyOf = (
  appId: string,
  publishId: string,
  provider: string,
  batchId: string,
  deliveryKey: string,
  next: number,
): string => `retry:${sha256([appId, publishId, provider, batchId, deliveryKey, next].join(':'))}`;

/** After it nothing is tried again. */
export const deadlineOf = (
  { firstAttemptAtMs, expiresAtMs }: Pick<FailedAttempt, 'firstAttemptAtMs' | 'expiresAtMs'>,
  { max_elapsed_secs }: RetrySettings,
): number => Math.min(firstAttemptAtMs + max_elapsed_secs * 1000, expiresAtMs ?? Infinity);

/** Time of the next attempt; immediately if none is left, so that the delivery ends. */
export function nextAttemptAtMs(failed: FailedAttempt, settings: RetrySettings, nowMs: number): number {
  if (failed.attempt + 1 > settings.max_attempts) return nowMs;
  const due =
    failed.retryAtMs !== null && settings.respect_retry_after
      ? Math.max(failed.retryAtMs, nowMs)
      : nowMs + Math.max(backoffMs(failed, settings), failed.minimumWaitMs);
  return Math.min(due, deadlineOf(failed, settings));
}

/** Doubles with each attempt; the same key is always spread the same way. */
function backoffMs({ attempt, retryKey }: FailedAttempt, settings: RetrySettings): number {
  const { initial_backoff_ms: initial, max_backoff_ms: max, jitter, jitter_ratio_percent: ratio } = settings;
  const delay = Math.min(initial * 2 ** (attempt - 1), max);
  if (!jitter) return delay;
  const spread = Math.floor((delay * ratio) / 100);
  const offset = bucketOf(sha256(retryKey), 2 * spread + 1);
  return Math.min(delay - spread + offset, max);
}
