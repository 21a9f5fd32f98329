import { CompatError, refusalOf } from '@carillon/ably-core';
import type { HttpResponse } from '@carillon/uws';

const JSON_TYPE = 'application/json';

/** The error to report for anything thrown; `onFault` receives faults of the service, which stay unexplained to the client. */
export function reported(error: unknown, onFault: (error: unknown) => void): CompatError {
  const refusal = refusalOf(error);
  if (refusal instanceof CompatError) return refusal;
  onFault(error);
  return new CompatError(50_000, 'internal error', 500);
}

/** Answers with an error in the form of the REST API, or with `body`, which is JSON text. */
export function answerError(response: HttpResponse, error: CompatError, body?: string): void {
  const { statusCode, code, message } = error.body;
  response.setHeader('x-ably-errorcode', code);
  response.setHeader('x-ably-errormessage', message.replaceAll(/[^ -~]/g, ' '));
  response.setHeader('cache-control', 'no-store');
  if (statusCode === 429 || statusCode === 503) response.setHeader('retry-after', error.retryAfterSeconds);
  response.statusCode = statusCode;
  response.end(body ?? JSON.stringify({ error: error.body }), JSON_TYPE);
}

/** Answers with JSON text; null: without a body. */
export function answerJson(response: HttpResponse, status: number, body: string | null): void {
  response.statusCode = status;
  response.setHeader('cache-control', 'no-store');
  if (body === null) response.end();
  else response.end(body, JSON_TYPE);
}

/** Headers of a response that is written in pieces: no cache and no proxy holds back or compresses them. */
export function streamHeaders(response: HttpResponse, contentType: string): void {
  response.setHeader('content-type', contentType);
  response.setHeader('cache-control', 'no-cache, no-transform');
  response.setHeader('x-accel-buffering', 'no');
}
