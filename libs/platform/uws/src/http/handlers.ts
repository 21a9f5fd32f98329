import { ServiceError } from '@carillon/errors';
import { errorAnswer } from './answer.js';
import type { Handler } from './middleware.js';
import type { HttpRequest } from './request.js';
import type { HttpResponse } from './response.js';

/** What answers errors that handlers hand on. */
export type ErrorLayer = (error: unknown, request: HttpRequest, response: HttpResponse) => unknown;

/**
 * Asks one handler after the other, each as the one before calls `next`; behind the last there is nothing (404). Whatever
 * they throw, now or later, becomes the answer; errors handed to `next` go to the error layer. Null: there is none.
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

/** Whatever work throws, now or later, becomes the answer. */
function attempt(work: () => unknown, response: HttpResponse): void {
  try {
    const running = work();
    if (running instanceof Promise) running.catch((error: unknown) => response.fail(error));
  } catch (error) {
    response.fail(error);
  }
}
