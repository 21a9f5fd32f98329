import type { StoredPublish } from '../model/publishes.js';
import type { PublishRow } from './tables.js';

export function publishOf(row: PublishRow): StoredPublish {
  const {
    planned,
    dispatched,
    succeeded,
    failed,
    expired,
    retryScheduled,
    retryAttempted,
    deadLettered,
    ...rest
  } = row;
  const counters = {
    planned,
    dispatched,
    succeeded,
    failed,
    expired,
    retryScheduled,
    retryAttempted,
    deadLettered,
  };
  return { ...rest, counters };
}

export const publishRow = ({ counters, ...rest }: StoredPublish): PublishRow => ({ ...rest, ...counters });
