import type { NewItem } from './items.js';
import type { RetryEntry } from './payloads.js';

/** A delivery as it waits for its next attempt. */
export const retryItem = (entry: RetryEntry): NewItem => ({
  stage: 'retry',
  key: entry.retryKey,
  partitionKey: entry.appId,
  notBeforeMs: entry.nextAttemptAtMs,
  payload: { kind: 'retrySchedule', ...entry },
});
