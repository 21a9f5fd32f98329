import { QueueUnavailable } from '../../failures.js';

/** Resolves like the request. Rejects with `QueueUnavailable` when it fails. */
export async function answerOf<Answer>(request: Promise<Answer>): Promise<Answer> {
  try {
    return await request;
  } catch (error) {
    throw unavailable(error);
  }
}

/** Returns the failure of a request to a cloud service as the port names it. */
export const unavailable = (error: unknown): QueueUnavailable =>
  new QueueUnavailable(
    error instanceof Error ? error.message || error.name : 'the cloud service does not answer',
    { cause: error },
  );
