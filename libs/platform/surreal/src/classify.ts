import type { ServerError } from 'surrealdb';
import {
  SurrealConflict,
  SurrealMisconfigured,
  SurrealQueryFailed,
  SurrealThrown,
  SurrealUnavailable,
} from './failures.js';

const THROWN = /^An error occurred: (.*)$/s;
/** Servers before 3.1 report a conflict by its text alone. */
const CONFLICT = /transaction conflict|this transaction can be retried/i;
const ANONYMOUS = /anonymous access not allowed/i;

type Described = Pick<ServerError, 'kind' | 'message' | 'details'>;

/** Returns whether a server rejected the credentials. */
export const isRejectedSignIn = (error: unknown): boolean =>
  isServerError(error) && error.kind === 'NotAllowed' && detailOf(error) === 'Auth';

/** Returns the cause among the failed statements of a query: the others failed because of it. */
export function causeOf(errors: readonly Described[]): Error {
  const cause =
    errors.find(isConflict) ??
    errors.find(({ kind }) => kind === 'Thrown') ??
    errors.find((error) => !['NotExecuted', 'Cancelled'].includes(detailOf(error))) ??
    errors[0];
  return cause === undefined ? new SurrealQueryFailed('the query failed') : failureOf(cause);
}

/** Returns the failure of one request as this package names it. */
export function failureOf(error: unknown): Error {
  if (!isServerError(error)) return new SurrealUnavailable(messageOf(error), { cause: error });
  const { kind, message } = error;
  if (isConflict(error)) return new SurrealConflict(message, { cause: error });
  if (kind === 'Thrown') return new SurrealThrown(THROWN.exec(message)?.[1] ?? message);
  // The session or its sign-in was lost: the next connection signs in again.
  if (ANONYMOUS.test(message) || detailOf(error) === 'Session') {
    return new SurrealUnavailable(message, { cause: error });
  }
  if (kind === 'NotAllowed') return new SurrealMisconfigured(message, { cause: error });
  return new SurrealQueryFailed(message, { cause: error });
}

function isConflict({ kind, message, details }: Described): boolean {
  return (kind === 'Query' && isKind(details, 'TransactionConflict')) || CONFLICT.test(message);
}

const detailOf = ({ details }: Described): string =>
  typeof details === 'object' && details !== null && 'kind' in details ? details.kind : '';

const isKind = (details: unknown, kind: string): boolean =>
  typeof details === 'object' && details !== null && 'kind' in details && details.kind === kind;

/** Errors of the server have a kind; those of the library and of sockets have none. */
const isServerError = (error: unknown): error is Described & Error =>
  error instanceof Error && 'kind' in error && typeof error.kind === 'string' && 'code' in error;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
