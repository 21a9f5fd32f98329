import { ServiceError } from '@carillon/errors';
import { textField, wrong } from '../describe/field.js';
import type { Caller } from '../caller.js';
import type { JsonObject } from '../json/json-body.js';

/** Members of a request that cannot be taken back. */
export const CONFIRMATION = {
  confirmChannel: textField('confirm_channel', 'The channel once more.'),
  confirmOperation: textField('confirm_operation', 'The operation once more.'),
  reason: textField('reason', 'For the log of operators; not blank.', { maxBytes: 1024 }),
  requestedBy: textField('requested_by', 'Who wants it, for the log of operators.', { maxBytes: 256 }),
};

export const REQUIRED_CONFIRMATION = [
  CONFIRMATION.confirmChannel,
  CONFIRMATION.confirmOperation,
  CONFIRMATION.reason,
];

/** Why something is done, and for whom. */
export interface Confirmed {
  readonly reason: string;
  /** Null: it was not said. */
  readonly requestedBy: string | null;
}

/**
 * Reads what confirms an operation on a channel.
 *
 * @throws ServiceError `invalid_input` when anything is missing or does not fit.
 */
export function readConfirmation(
  { name }: Caller,
  body: JsonObject,
  channel: string,
  operation: string,
): Confirmed {
  const named = CONFIRMATION.confirmChannel.of(body);
  if (named !== channel) throw wrong('confirm_channel', 'be the channel of the path');
  if (CONFIRMATION.confirmOperation.of(body) !== operation)
    throw wrong('confirm_operation', `be ${operation}`);
  const reason = CONFIRMATION.reason.of(body);
  if (reason === undefined) throw new ServiceError('invalid_input', { text: 'reason is missing' });
  if (reason.trim() === '') throw wrong('reason', 'not be blank');
  const given = CONFIRMATION.requestedBy.of(body);
  const requestedBy = [name, given].filter((one) => one !== null && one !== undefined).join('/');
  return { reason, requestedBy: requestedBy === '' ? null : requestedBy };
}
