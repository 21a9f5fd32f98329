import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { awsFailureText, type AwsPlace } from '@carillon/aws';
import { RecordsUnavailable } from '../../port.js';
import { Deadline } from '../deadline.js';

export type Sdk = typeof import('@aws-sdk/client-dynamodb');

/** Client and limits of one table. */
export interface DynamoParts {
  readonly sdk: Sdk;
  readonly client: DynamoDBClient;
  readonly place: AwsPlace;
  readonly table: string;
  /** Limit of each call of the store. */
  readonly timeoutMs: number;
}

/** Reasons of a cancelled transaction that are gone when it is sent again. */
const TRANSIENT_REASONS: ReadonlySet<string> = new Set([
  'ProvisionedThroughputExceeded',
  'ThrottlingError',
  'TransactionConflict',
]);
const TRANSIENT_ERRORS: ReadonlySet<string> = new Set([
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
  'TransactionConflictException',
  'TransactionInProgressException',
]);

/** Runs a call within its limit. A failure becomes `RecordsUnavailable`; `keep` selects those that pass unchanged. */
export async function bounded<Answer>(
  { place, timeoutMs }: DynamoParts,
  work: (deadline: Deadline) => Promise<Answer>,
  keep: (error: unknown) => boolean = () => false,
): Promise<Answer> {
  const deadline = new Deadline(timeoutMs);
  try {
    return await work(deadline);
  } catch (error) {
    if (error instanceof RecordsUnavailable || keep(error)) throw error;
    const text = deadline.hasPassed ? `no answer within ${timeoutMs} ms` : null;
    const described = awsFailureText(text === null ? error : new Error(text), place);
    throw new RecordsUnavailable(described, { cause: error });
  }
}

/** Sends a request again while the table is throttled or another transaction uses its items. */
export async function retried<Answer>(deadline: Deadline, send: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      if (!isTransient(error)) throw error;
      await deadline.backOff(attempt);
    }
  }
}

/** Returns whether a transaction was cancelled because a condition does not hold. */
export const isRefused = (error: unknown): boolean => reasonsOf(error).includes('ConditionalCheckFailed');

function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const reasons = reasonsOf(error);
  if (reasons.length > 0) return reasons.every((reason) => TRANSIENT_REASONS.has(reason));
  return TRANSIENT_ERRORS.has(error.name);
}

/** Returns why a transaction was cancelled, one reason for each operation that has one. */
function reasonsOf(error: unknown): string[] {
  if (!(error instanceof Error) || error.name !== 'TransactionCanceledException') return [];
  const { CancellationReasons: reasons = [] } = error as { CancellationReasons?: { Code?: string }[] };
  return reasons.flatMap(({ Code: code }) => (code === undefined || code === 'None' ? [] : [code]));
}
