import type { Config, WebhookEntry } from '@carillon/config';

/** Result of one attempt. */
export type AttemptOutcome =
  /** Any 2xx. */
  | { readonly kind: 'delivered'; readonly status: number }
  /** It may go better later. */
  | { readonly kind: 'failed'; readonly reason: string; readonly retryAfterMs: number | null }
  /** Trying again would change nothing. */
  | { readonly kind: 'permanent'; readonly reason: string };

export interface RetrySettings {
  readonly enabled: boolean;
  /** Infinity: only the time counts. */
  readonly maxAttempts: number;
  readonly maxElapsedMs: number;
  readonly initialBackoffMs: number;
  readonly maxBackoffMs: number;
}

/** The receiver's own settings over the global ones. */
export function retrySettings({ retry: own }: WebhookEntry, { retry }: Config['webhooks']): RetrySettings {
  return {
    enabled: own?.enabled ?? retry.enabled,
    maxAttempts: own?.max_attempts ?? retry.max_attempts ?? Infinity,
    maxElapsedMs: own?.max_elapsed_time_ms ?? retry.max_elapsed_time_ms,
    initialBackoffMs: own?.initial_backoff_ms ?? retry.initial_backoff_ms,
    maxBackoffMs: own?.max_backoff_ms ?? retry.max_backoff_ms,
  };
}

/** Retryable statuses below 500. */
const LATER = new Set([408, 409, 425, 429]);
/** Statuses whose `Retry-After` counts. */
const TELLS_WHEN = new Set([429, 503]);

/** Converts a response status. `retryAfter` is the header, if any; only whole seconds are supported. */
export function outcomeOfStatus(status: number, retryAfter: string | undefined): AttemptOutcome {
  if (status >= 200 && status < 300) return { kind: 'delivered', status };
  const reason = `status ${status}`;
  if (status < 500 && !LATER.has(status)) return { kind: 'permanent', reason };
  const seconds = TELLS_WHEN.has(status) && /^\d{1,9}$/.test(retryAfter ?? '') ? Number(retryAfter) : null;
  return { kind: 'failed', reason, retryAfterMs: seconds === null ? null : seconds * 1000 };
}

/** Relative jitter of the delay, in both directions. */
const JITTER = 0.2;
/** Beyond it every wait is the longest one. */
const MAX_DOUBLINGS = 62;

export interface FailedAttempt {
  /** From 1. */
  readonly attempt: number;
  /** Time since the delivery was created: a delivery that waited until its limit gets one attempt. */
  readonly elapsedMs: number;
  readonly retryAfterMs: number | null;
  /** 0 to 1. */
  readonly chance: number;
}

/** Returns the delay before the next attempt; null: no further attempt. */
export function retryWaitMs(
  { attempt, elapsedMs, retryAfterMs, chance }: FailedAttempt,
  { enabled, maxAttempts, maxElapsedMs, initialBackoffMs, maxBackoffMs }: RetrySettings,
): number | null {
  if (!enabled || attempt >= maxAttempts) return null;
  const backoffMs = Math.min(initialBackoffMs * 2 ** Math.min(attempt - 1, MAX_DOUBLINGS), maxBackoffMs);
  const variedMs = Math.round(backoffMs * (1 - JITTER + 2 * JITTER * chance));
  const waitMs = Math.max(variedMs, Math.min(retryAfterMs ?? 0, maxBackoffMs));
  return elapsedMs + waitMs > maxElapsedMs ? null : waitMs;
}
