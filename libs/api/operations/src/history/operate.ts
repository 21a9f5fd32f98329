import type { CommitRecord } from '@carillon/contracts';
import { ServiceError } from '@carillon/errors';
import { isCommitted, refusalOf, type Commits } from '@carillon/history-publish';
import { isJsonObject, type JsonObject } from '../json/json-body.js';

/**
 * Commits an operation in the lane of its channel, in order with publishes.
 * @throws ServiceError if it was rejected
 */
export async function operate(commits: Commits, record: CommitRecord): Promise<JsonObject> {
  const [result] = await commits.commit([record]);
  if (!isCommitted(result)) throw refusalOf(result);
  if (isJsonObject(result.extra)) return result.extra;
  throw new ServiceError('internal_error', {
    cause: new Error(`${record.op} was answered without its outcome`),
  });
}

/** A number of an outcome. */
export const numberOf = (outcome: JsonObject, name: string): number => Number(outcome[name] ?? 0);

/** A text of an outcome; null: it has none. */
export function textOf(outcome: JsonObject, name: string): string | null {
  const value = outcome[name];
  return typeof value === 'string' ? value : null;
}
