import type { HttpResponse } from '@carillon/uws';
import { CODES, errorMessage, RpcFailure, type RpcId } from '../rpc/failure.js';

const JSON_TYPE = 'application/json';

/** Headers that every answer has. */
export function commonHeaders(response: HttpResponse): void {
  response.setHeader('cache-control', 'no-store');
  response.setHeader('x-content-type-options', 'nosniff');
}

export function sendJson(response: HttpResponse, value: object): void {
  response.end(JSON.stringify(value), JSON_TYPE);
}

export function sendFailure(response: HttpResponse, failure: RpcFailure, id: RpcId): void {
  response.statusCode = failure.status;
  for (const [name, value] of Object.entries(failure.headers)) response.setHeader(name, value);
  response.end(JSON.stringify(errorMessage(id, failure)), JSON_TYPE);
}

/** Converts a thrown value into a failure for the caller. */
export const failureOf = (thrown: unknown, status = 200): RpcFailure =>
  thrown instanceof RpcFailure ? thrown : new RpcFailure(status, CODES.internal, 'internal error');

/** An answer without a body. */
export function sendNothing(response: HttpResponse, status: number): void {
  response.statusCode = status;
  response.end();
}
