import { CompatError } from '@carillon/ably-core';
import type { Answer, ErrorWords } from '@carillon/uws';

const RETRY_STATUSES: ReadonlySet<number> = new Set([429, 503]);

/** A batch that failed in part, with the result of each part. */
export class FailedInPart extends CompatError {
  constructor(readonly batchResponse: readonly object[]) {
    super(40_020, 'batch failed in part');
  }
}

/** Renders an error for Ably clients, which compare the content type literally. */
export function errorAnswer(error: CompatError): Required<Answer> {
  const { body, retryAfterSeconds } = error;
  const { statusCode, code, message } = body;
  return {
    status: statusCode,
    headers: {
      'x-ably-errorcode': String(code),
      'x-ably-errormessage': message.replaceAll(/[^ -~]/g, ' '),
      ...(RETRY_STATUSES.has(statusCode) ? { 'retry-after': String(retryAfterSeconds) } : {}),
    },
    body:
      error instanceof FailedInPart ? { error: body, batchResponse: error.batchResponse } : { error: body },
  };
}

/** Codes of errors decided before any route of this package. */
const CODES: Readonly<Record<number, number>> = {
  404: 40_400,
  405: 40_500,
  413: 40_009,
  429: 42_910,
  500: 50_000,
  503: 50_003,
};

/** Paths of the service itself, whose clients know errors in its own form. */
const NATIVE =
  /^\/(?:$|operator\/stats\/?$|(?:app|apps|manage|console|live|up|usage|accept-traffic|stats|openapi\.json)(?:\/|$))/;

/** Renders errors in the form of Ably clients on all paths but those of the service itself. */
export const errorWords =
  (mcpPath: string): ErrorWords =>
  (answer, path) => {
    if (NATIVE.test(path) || path.startsWith(mcpPath)) return answer;
    const { status, headers = {}, body } = answer;
    const text = typeof body === 'object' && 'error' in body ? String(body.error) : 'the request failed';
    const said = errorAnswer(new CompatError(CODES[status] ?? 40_000, text, status));
    return { ...said, headers: { ...said.headers, ...headers } };
  };
