import { ERRORS, type HttpErrorCode } from './table.js';

/** Additions of a thrower to its row of the table. */
export interface ServiceErrorOptions {
  /** Human text for the client. Absent: the row's own text. Never holds a secret. */
  readonly text?: string;
  /** Absent: the row's own value, which may be none. */
  readonly retryAfterSeconds?: number;
  /** Response headers that belong to this failure, such as `Allow` on 405. Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** For rows with more than one status. Absent: the row's own. */
  readonly status?: number;
  /** For rows with an `ai_code` in AI transport only. Absent: the row's own, possibly none. */
  readonly aiCode?: number;
  /** A second text that clients of rate limiters read. Absent: the body has none. */
  readonly message?: string;
  /** Problems of single fields of the request. Absent: the body has none. */
  readonly fields?: readonly FieldProblem[];
  /** Further members of the body, such as `missing_nodes`. Never named like a member of `ErrorBody`. */
  readonly members?: Readonly<Record<string, unknown>>;
  /** Internal cause, for logs only. */
  readonly cause?: unknown;
}

/** A field of a request that is not valid. */
export interface FieldProblem {
  /** As in `policy.webhooks[0].url`. */
  readonly path: string;
  readonly message: string;
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
  /** Members of the body beside the fixed ones; `fields` is one of them. */
  readonly members: Readonly<Record<string, unknown>>;

  constructor(code: HttpErrorCode, options: ServiceErrorOptions = {}) {
    const row = ERRORS[code];
    super(options.text ?? row.text, { cause: options.cause });
    this.code = code;
    this.status = options.status ?? row.status;
    this.aiCode = options.aiCode ?? row.aiCode;
    this.bodyMessage = options.message ?? null;
    this.members = {
      ...options.members,
      ...(options.fields === undefined ? {} : { fields: options.fields }),
    };
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
  readonly fields?: readonly FieldProblem[];
}

/** Body for the client. Internal errors always have the same fixed text: details belong to the logs. */
export function errorBody({ message, bodyMessage, code, status, aiCode, members }: ServiceError): ErrorBody {
  return {
    error: status === 500 ? ERRORS[code].text : message,
    ...(bodyMessage === null ? {} : { message: bodyMessage }),
    code,
    status,
    ...(aiCode === null ? {} : { ai_code: aiCode }),
    ...members,
  };
}

/** Converts a thrown value into an answerable error; unforeseen ones become `internal_error`. */
export function toServiceError(thrown: unknown): ServiceError {
  return thrown instanceof ServiceError ? thrown : new ServiceError('internal_error', { cause: thrown });
}
