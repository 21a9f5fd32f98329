import { ERRORS, type ErrorCode, type HttpErrorCode, ServiceError } from '@carillon/errors';
import type { SubscribeFailure } from '@carillon/sockets';
import { type Answer, errorAnswer } from '@carillon/uws';
import type { RefusalLabel } from '../metrics.js';
import type { RetryKind } from './retry-delay.js';

/** The properties of a refusal besides its error. */
interface RefusalDetails {
  readonly label: RefusalLabel;
  /** The WebSocket close code for the same reason; null if there is none. */
  readonly wsCode?: number | null;
  /** Null: the client must not repeat the request unchanged. */
  readonly retry?: RetryKind | null;
  readonly leastRetryMs?: number;
  readonly channel?: string | null;
}

/** A stream that is not opened. */
export class StreamRefusal extends Error {
  readonly label: RefusalLabel;
  readonly wsCode: number | null;
  readonly retry: RetryKind | null;
  readonly leastRetryMs: number;
  readonly channel: string | null;

  constructor(
    readonly error: ServiceError,
    { label, wsCode = null, retry = null, leastRetryMs = 0, channel = null }: RefusalDetails,
  ) {
    super(error.message);
    this.label = label;
    this.wsCode = wsCode;
    this.retry = retry;
    this.leastRetryMs = leastRetryMs;
    this.channel = channel;
  }

  /** The JSON answer. */
  answer(retryAfterMs: number | null): Answer {
    const { status, headers, body } = errorAnswer(this.error);
    const details = {
      ...(this.wsCode === null ? {} : { ws_code: this.wsCode }),
      ...(this.channel === null ? {} : { channel: this.channel }),
    };
    const retryAfter: Readonly<Record<string, string>> =
      retryAfterMs === null ? {} : { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) };
    return {
      status,
      headers: { ...headers, ...retryAfter, 'cache-control': 'no-store' },
      body: { ...(body as object), ...details },
    };
  }
}

export const invalid = (text: string, channel: string | null = null): StreamRefusal =>
  new StreamRefusal(new ServiceError('invalid_input', { text }), { label: 'invalid', channel });

/** A refusal for which sockets are closed with a code. */
export function closedWith(
  row: ErrorCode,
  code: HttpErrorCode,
  details: Omit<RefusalDetails, 'wsCode'>,
  text: string = ERRORS[row].text,
): StreamRefusal {
  const wsCode = ERRORS[row].closeCode;
  return new StreamRefusal(new ServiceError(code, { text }), { ...details, wsCode });
}

export const unavailable = (text: string, wsCode = 4303): StreamRefusal =>
  new StreamRefusal(new ServiceError('service_unavailable', { text }), {
    label: 'unavailable',
    wsCode,
    retry: 'busy',
  });

const CODE_OF = {
  400: 'invalid_input',
  401: 'auth_failed',
  403: 'forbidden',
  503: 'service_unavailable',
} as const;

/** A channel that is refused, which refuses the stream. */
export function channelRefusal({ error, status }: SubscribeFailure): StreamRefusal {
  const code = CODE_OF[status];
  return new StreamRefusal(new ServiceError(code, { text: error.message }), {
    label: status === 503 ? 'unavailable' : 'channel',
    wsCode: error.code,
    channel: error.channel,
    retry: status === 503 ? 'busy' : null,
  });
}
