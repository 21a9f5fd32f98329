import { type HttpErrorCode, ServiceError, toServiceError } from '@carillon/errors';
import { HttpException } from '@nestjs/common';

const BY_STATUS: ReadonlyMap<number, HttpErrorCode> = new Map([
  [400, 'invalid_input'],
  [401, 'auth_failed'],
  [403, 'forbidden'],
  [404, 'not_found'],
  [405, 'method_not_allowed'],
  [409, 'conflict'],
  [413, 'payload_too_large'],
  [422, 'feature_disabled'],
  [426, 'upgrade_required'],
  [429, 'rate_limited'],
  [431, 'headers_too_large'],
  [501, 'not_implemented'],
  [503, 'service_unavailable'],
]);

/** Text of a Nest exception: pipes put a list of findings there, others one text. */
function textOf(exception: HttpException): string {
  const response = exception.getResponse();
  if (typeof response === 'string') return response;
  const { message } = response as { message?: unknown };
  if (Array.isArray(message)) return message.map(String).join('; ');
  return typeof message === 'string' ? message : exception.message;
}

/**
 * Converts a thrown value into an answerable error. A Nest exception keeps its text and takes the row of its status;
 * a status without a row becomes 400 below 500 and 500 above, because body and status must agree.
 */
export function answerableError(thrown: unknown): ServiceError {
  if (!(thrown instanceof HttpException)) return toServiceError(thrown);
  const status = thrown.getStatus();
  const code = BY_STATUS.get(status) ?? (status < 500 ? 'invalid_input' : 'internal_error');
  return new ServiceError(code, { text: textOf(thrown), cause: thrown });
}
