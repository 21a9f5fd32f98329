import { ServiceError } from '@carillon/errors';
import { errorAnswer } from './answer.js';
import type { Handler } from './middleware.js';
import type { HttpRequest } from './request.js';
import type { HttpResponse } from './response.js';

/** Handles errors passed on by handlers. */
export type ErrorLayer = (error: unknown, request: HttpRequest, response: HttpResponse) => unknown;

/**
 * Runs handlers in order, each when the previous one calls `next`; after the last the answer is 404. Thrown errors,
 * synchronous or not, become the answer; errors passed to `next` go to the error layer. Null: no error layer.
 */
export function runHandlers(
  handlers: readonly Handler[],
  response: HttpResponse,
  errorLayer: ErrorLayer | null,
  index = 0,
): void {
  const handler = handlers[index];
  if (handler === undefined) return response.answer(errorAnswer(new ServiceError('not_found')));
  const next = (error?: unknown): void =>
    error === undefined || error === null
      ? runHandlers(handlers, response, errorLayer, index + 1)
      : handOn(error, response, errorLayer);
  attempt(() => handler(response.request, response, next), response);
}

function handOn(error: unknown, response: HttpResponse, errorLayer: ErrorLayer | null): void {
  if (errorLayer === null) return response.fail(error);
  attempt(() => errorLayer(error, response.request, response), response);
}

/** Converts errors of the work, synchronous or not, into the answer. */
function attempt(work: () => unknown, response: HttpResponse): void {
  try {
    const running = work();
    if (running instanceof Promise) running.catch((error: unknown) => response.fail(error));
  } catch (error) {
    response.fail(error);
  }
}
