import { ServiceError } from '@carillon/errors';
import { Field, textField, wrong } from '../describe/field.js';
import type { Caller } from '../caller.js';
import type { JsonObject } from '../json/json-body.js';

/** Operations that delete data and have to be confirmed by their name. */
type ConfirmedOperation = 'purge' | 'reset';

const CONFIRM_CHANNEL = textField('confirm_channel', 'The channel once more.');
const REASON = textField('reason', 'For the log of operators; not blank.', { maxBytes: 1024 });
const REQUESTED_BY = textField('requested_by', 'Who wants it, for the log of operators.', { maxBytes: 256 });

/** The member that has to hold the name of the operation. */
const confirmOperation = (operation: ConfirmedOperation): Field<string> =>
  new Field(
    'confirm_operation',
    { type: 'string', enum: [operation], description: `The operation once more: \`${operation}\`.` },
    (value, name) => {
      if (value === operation) return operation;
      throw wrong(name, `be ${operation}`);
    },
  );

/** Members of a request that deletes data: by name, and which of them are required. */
export function confirmation(operation: ConfirmedOperation) {
  const fields = {
    confirmChannel: CONFIRM_CHANNEL,
    confirmOperation: confirmOperation(operation),
    reason: REASON,
    requestedBy: REQUESTED_BY,
  };
  return { fields, required: [fields.confirmChannel, fields.confirmOperation, fields.reason] };
}

/** Reason and requester of an operation. */
export interface Confirmed {
  readonly reason: string;
  /** Null: not given. */
  readonly requestedBy: string | null;
}

/**
 * Reads the confirmation of an operation on a channel.
 * @throws ServiceError `invalid_input` if a member is missing or does not match
 */
export function readConfirmation(
  { name }: Caller,
  body: JsonObject,
  channel: string,
  operation: ConfirmedOperation,
): Confirmed {
  const named = CONFIRM_CHANNEL.of(body);
  if (named !== channel) throw wrong('confirm_channel', 'be the channel of the path');
  if (confirmOperation(operation).of(body) === undefined) throw wrong('confirm_operation', `be ${operation}`);
  const reason = REASON.of(body);
  if (reason === undefined) throw new ServiceError('invalid_input', { text: 'reason is missing' });
  if (reason.trim() === '') throw wrong('reason', 'not be blank');
  const given = REQUESTED_BY.of(body);
  const requestedBy = [name, given].filter((one) => one !== null && one !== undefined).join('/');
  return { reason, requestedBy: requestedBy === '' ? null : requestedBy };
}
