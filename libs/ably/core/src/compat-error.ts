const NOT_400: Readonly<Record<number, number>> = {
  40300: 403,
  40400: 404,
  40500: 405,
  42910: 429,
  42911: 429,
  50000: 500,
  50003: 503,
  50004: 503,
  50320: 503,
  90003: 404,
  90004: 404,
  90005: 404,
  93002: 403,
};

/** The HTTP status of a code: that of its row, else of its family. */
const statusOf = (code: number): number => NOT_400[code] ?? (code >= 40100 && code < 40200 ? 401 : 400);

/** An error for Ably clients, on REST and realtime. */
export class CompatError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly statusCode: number = statusOf(code),
    /** Sent with 429 and 503. */
    readonly retryAfterSeconds = 1,
  ) {
    super(message);
  }

  /** The form used in responses and frames. */
  get body(): ErrorBody {
    const { message, code, statusCode } = this;
    return { message, code, statusCode };
  }
}

export interface ErrorBody {
  readonly message: string;
  readonly code: number;
  readonly statusCode: number;
}

/** A store or a broker could not be asked: nothing was done. */
export const unavailable = (): CompatError => new CompatError(50_000, 'service unavailable, retry', 503);
