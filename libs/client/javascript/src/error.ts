/**
 * Why a request failed without an answer of the service: `disconnected`, the client disconnected for good or cannot keep the
 * request until it reconnects; `timeout`, no answer came in time.
 */
export type FailureReason = 'disconnected' | 'timeout';

/** An error returned by the service, or a failure to reach it. */
export class CarillonError extends Error {
  override readonly name = 'CarillonError';
  /** The number of the service's error frame or of its close; 0: it did not come from the service. */
  readonly code: number;
  /** The channel it is about; null: none. */
  readonly channel: string | null;
  /** The corresponding HTTP status; null if unknown. */
  readonly status: number | null;
  /** Null: the service refused, or the failure is of another kind. */
  readonly reason: FailureReason | null;

  constructor(
    message: string,
    about: {
      readonly code?: number;
      readonly channel?: string | null;
      readonly status?: number | null;
      readonly reason?: FailureReason | null;
    } = {},
  ) {
    super(message);
    this.code = about.code ?? 0;
    this.channel = about.channel ?? null;
    this.status = about.status ?? null;
    this.reason = about.reason ?? null;
  }
}

/** Anything that was thrown, as an error of this client. An app's own may have a status too. */
export function errorOf(thrown: unknown, channel: string | null = null): CarillonError {
  if (thrown instanceof CarillonError && channel === null) return thrown;
  const { message = String(thrown), status = null } = Object(thrown) as Partial<CarillonError>;
  return new CarillonError(message, { channel, status });
}
