import { awsFailureText, type AwsPlace } from '@carillon/aws';
import { QueueUnavailable } from '../../failures.js';

/** Resolves like the request. Rejects with `QueueUnavailable` when it fails. */
export async function answerOf<Answer>(place: AwsPlace, request: Promise<Answer>): Promise<Answer> {
  try {
    return await request;
  } catch (error) {
    throw unavailable(place, error);
  }
}

/** Returns the failure of a request to an AWS service as the port names it. */
export const unavailable = (place: AwsPlace, error: unknown): QueueUnavailable =>
  new QueueUnavailable(awsFailureText(error, place), { cause: error });
