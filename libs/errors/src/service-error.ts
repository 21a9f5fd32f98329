import { ERRORS, type HttpErrorCode } from './table.js';

/** What a thrower may add to its row of the table. */
export interface ServiceErrorOptions {
  /** Human text for the client. Absent: the row's own text. Never holds a secret. */
  readonly text?: string;
  /** Absent: the row's own value, which may be none. */
  readonly retryAfterSeconds?: number;
  /** Response headers that belong to this failure, such as `Allow` on 405. Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What went wrong inside; goes to logs only. */
  readonly cause?: unknown;
}

/** A failure that has a row in the table: thrown anywhere, answered in one place. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: HttpErrorCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: HttpErrorCode, options: ServiceErrorOptions = {}) {
    const row = ERRORS[code];
    super(options.text ?? row.text, { cause: options.cause });
    this.code = code;
    this.status = row.status;
    const retryAfter = options.retryAfterSeconds ?? row.retryAfterSeconds;
    this.headers =
      retryAfter === null
        ? (options.headers ?? {})
        : { 'retry-after': String(retryAfter), ...options.headers };
  }
}

/** The one error body of the HTTP side. */
export interface ErrorBody {
  readonly error: string;
  readonly code: HttpErrorCode;
  readonly status: number;
  readonly ai_code?: number;
}

/** What the client reads. A fault of ours always says the same fixed text: details belong to the logs. */
export function errorBody(error: ServiceError): ErrorBody {
  const { status, aiCode, text } = ERRORS[error.code];
  const body = { error: status === 500 ? text : error.message, code: error.code, status };
  return aiCode === null ? body : { ...body, ai_code: aiCode };
}

/** Turns whatever was thrown into an answerable error; anything unforeseen becomes `internal_error`. */
export function toServiceError(thrown: unknown): ServiceError {
  return thrown instanceof ServiceError ? thrown : new ServiceError('internal_error', { cause: thrown });
}
