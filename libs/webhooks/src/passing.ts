import { BatchIncomplete, QueueFull, QueueUnavailable } from '@carillon/queue';

/** Whether a queue failed in a way that passes: trying again, with the same ids, is all there is to do. */
export function isPassing(error: unknown): boolean {
  const cause = error instanceof BatchIncomplete ? error.cause : error;
  return cause instanceof QueueUnavailable || cause instanceof QueueFull;
}
