import { ERRORS, ServiceError, toServiceError } from '@carillon/errors';
import type { Accepted, Dead } from '@carillon/ingest-source';

/** An attempt that did not end the event. */
export interface Retry {
  readonly kind: 'retry';
  readonly code: string;
  readonly status: number;
  readonly reason: string;
  /** Least wait before the next attempt. */
  readonly afterMs: number;
  /** Whether all channels of the app wait, as for its rate limit. */
  readonly isOfApp: boolean;
}

export interface AcceptedAttempt extends Accepted {
  /** Whether the event was accepted before. */
  readonly isDuplicate: boolean;
}

export type Attempt = AcceptedAttempt | Dead | Retry;

/** Answers that no repetition changes. */
const FINAL: ReadonlySet<number> = new Set([400, 403, 404, 409, 413, 422, 501]);
const TOO_MANY = 429;
const FIRST_ATTEMPT = 1;

export const accepted = (messageSerial: string | null = null, isDuplicate = false): AcceptedAttempt => ({
  kind: 'accepted',
  messageSerial,
  isDuplicate,
});

export const dead = (code: string, status: number, reason: string): Dead => ({
  kind: 'dead',
  code,
  status,
  reason,
  attempts: FIRST_ATTEMPT,
});

export const unavailable = (reason: string): Retry =>
  failed(new ServiceError('service_unavailable', { text: reason }));

/** What a failure means for the event. */
export function attemptOf(thrown: unknown): Dead | Retry {
  const error = toServiceError(thrown);
  const { code, status } = error;
  return FINAL.has(status) ? dead(code, status, error.message) : failed(error);
}

function failed({ code, status, headers, message }: ServiceError): Retry {
  const seconds = Number(headers['retry-after'] ?? 0);
  // The text of an internal error may name parts of this process; logs have it.
  const reason = status === ERRORS.internal_error.status ? ERRORS.internal_error.text : message;
  return {
    kind: 'retry',
    code,
    status,
    reason,
    afterMs: status === TOO_MANY && Number.isFinite(seconds) ? seconds * 1000 : 0,
    isOfApp: status === TOO_MANY,
  };
}
