import type { CommitResult } from '@carillon/contracts';
import { ERRORS, ServiceError, type HttpErrorCode } from '@carillon/errors';

/** Result of a record stored by this commit or an earlier one. */
export type Committed = CommitResult & { readonly status: 'applied' | 'duplicate' };

export const isCommitted = (result: CommitResult | undefined): result is Committed =>
  result?.status === 'applied' || result?.status === 'duplicate';

/** Converts the result of an uncommitted record into an error. */
export function refusalOf(result: CommitResult | undefined): ServiceError {
  if (result?.status !== 'rejected') return unavailable('no history writer has answered');
  if (!isHttpErrorCode(result.code))
    return unavailable('the history writer refused it for an unknown reason');
  const { code, error: text, ai_code: aiCode } = result;
  return new ServiceError(code, {
    ...(typeof text === 'string' ? { text } : {}),
    ...(typeof aiCode === 'number' ? { aiCode } : {}),
  });
}

const unavailable = (text: string): ServiceError => new ServiceError('service_unavailable', { text });

/** A writer of a later version may know codes that this one does not. */
const isHttpErrorCode = (code: unknown): code is HttpErrorCode =>
  typeof code === 'string' && Object.hasOwn(ERRORS, code) && ERRORS[code as HttpErrorCode].status !== null;
