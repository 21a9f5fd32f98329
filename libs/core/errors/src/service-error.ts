import { ERRORS, type HttpErrorCode } from './table.js';

/** What a thrower may add to its row of the table. */
export interface ServiceErrorOptions {
  /** Human text for the client. Absent: the row's own text. Never holds a secret. */
  readonly text?: string;
  /** Absent: the row's own value, which may be none. */
  readonly retryAfterSeconds?: number;
  /** Response headers that belong to this failure, such as `Allow` on 405. Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Where a row answers with more than one status. Absent: the row's own. */
  readonly status?: number;
  /** Where a row has an `ai_code` in AI transport only. Absent: the row's own, which may be none. */
  readonly aiCode?: number;
  /** A second text that clients of rate limiters read. Absent: the body has none. */
  readonly message?: string;
  /** What went wrong inside; goes to logs only. */
  readonly cause?: unknown;
}

/** A failure that has a row in the table: thrown anywhere, answered in one place. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: HttpErrorCode;
  readonly status: number;
  /** Null outside AI transport. */
  readonly aiCode: number | null;
  /** The body's `message`; null leaves it out. `Error.message` is the body's `error`. */
  readonly bodyMessage: string | null;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: HttpErrorCode, options: ServiceErrorOptions = {}) {
    const row = ERRORS[code];
    super(options.text ?? row.text, { cause: options.cause });
    this.code = code;
    this.status = options.status ?? row.status;
    this.aiCode = options.aiCode ?? row.aiCode;
    this.bodyMessage = options.message ?? null;
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
  readonly message?: string;
  readonly code: HttpErrorCode;
  readonly status: number;
  readonly ai_code?: number;
}

/** What the client reads. A fault of ours always says the same fixed text: details belong to the logs. */
export function errorBody({ message, bodyMessage, code, status, aiCode }: ServiceError): ErrorBody {
  return {
    error: status === 500 ? ERRORS[code].text : message,
    ...(bodyMessage === null ? {} : { message: bodyMessage }),
    code,
    status,
    ...(aiCode === null ? {} : { ai_code: aiCode }),
  };
}

/** Turns whatever was thrown into an answerable error; anything unforeseen becomes `internal_error`. */
export function toServiceError(thrown: unknown): ServiceError {
  return thrown instanceof ServiceError ? thrown : new ServiceError('internal_error', { cause: thrown });
}
