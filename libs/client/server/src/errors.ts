/** Details of a failed request. Texts and members never contain a key, secret, signature, query or body. */
export interface ErrorDetails {
  /** HTTP status; null: the request was not sent or not answered. */
  readonly status: number | null;
  /** The `code` of the service's answer, or one of this package. */
  readonly code: string;
  readonly method?: string;
  /** Path of the request, without its query. */
  readonly path?: string;
  readonly attempts?: number;
  /** The wait that the service asked for. */
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/** A failed call. */
export class CarillonError extends Error {
  override readonly name: string = 'CarillonError';
  readonly status: number | null;
  readonly code: string;
  readonly method: string | null;
  readonly path: string | null;
  /** Requests that were sent. */
  readonly attempts: number;
  readonly retryAfterMs?: number;

  constructor(
    text: string,
    { status, code, method, path, attempts, retryAfterMs, cause }: ErrorDetails,
    /** Whether the same call can succeed later. */
    readonly retryable = false,
  ) {
    super(text, cause === undefined ? undefined : { cause });
    this.status = status;
    this.code = code;
    this.method = method ?? null;
    this.path = path ?? null;
    this.attempts = attempts ?? 0;
    if (retryAfterMs !== undefined) this.retryAfterMs = retryAfterMs;
  }
}

/** The request breaks a rule: refused by the service with 400, 413, 422, 426 or 431, or before it was sent. */
export class InvalidRequestError extends CarillonError {
  override readonly name = 'InvalidRequestError';
}
/** 401: key, signature, timestamp or app. */
export class AuthenticationError extends CarillonError {
  override readonly name = 'AuthenticationError';
}
/** 403. */
export class PermissionError extends CarillonError {
  override readonly name = 'PermissionError';
}
/** 404 or 405. */
export class NotFoundError extends CarillonError {
  override readonly name = 'NotFoundError';
}
/** 409. */
export class ConflictError extends CarillonError {
  override readonly name = 'ConflictError';
}
/** 429. */
export class RateLimitedError extends CarillonError {
  override readonly name = 'RateLimitedError';
}
/** 5xx, or an answer that is not JSON. */
export class UnavailableError extends CarillonError {
  override readonly name = 'UnavailableError';
}
/** No complete answer. */
export class ConnectionError extends CarillonError {
  override readonly name = 'ConnectionError';
}
/** No answer within `timeoutMs`. */
export class TimeoutError extends CarillonError {
  override readonly name = 'TimeoutError';
}
/** A webhook request that must not be believed. */
export class WebhookError extends CarillonError {
  override readonly name = 'WebhookError';

  constructor(
    text: string,
    code:
      | 'missing_signature'
      | 'unknown_key'
      | 'signature_mismatch'
      | 'invalid_content_type'
      | 'invalid_body',
  ) {
    super(text, { status: null, code });
  }
}

/** An argument that was refused before a request was sent. */
export const invalid = (text: string): InvalidRequestError =>
  new InvalidRequestError(text, { status: null, code: 'invalid_input' });

const BY_STATUS: ReadonlyMap<number, typeof CarillonError> = new Map<number, typeof CarillonError>([
  [401, AuthenticationError],
  [403, PermissionError],
  [404, NotFoundError],
  [405, NotFoundError],
  [409, ConflictError],
  [429, RateLimitedError],
]);

/** The error of an answer of the service. */
export function errorOf(text: string, details: ErrorDetails & { readonly status: number }): CarillonError {
  const { status } = details;
  if (status >= 500 || status < 400) return new UnavailableError(text, details, status !== 501);
  const Class = BY_STATUS.get(status) ?? InvalidRequestError;
  return new Class(text, details, status === 429);
}
