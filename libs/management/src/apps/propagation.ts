import type { Config } from '@carillon/config';

/** Adapters on which a broadcast may be lost: changes are found by reading the store. */
const WITHOUT_BROADCAST: ReadonlySet<string> = new Set(['pulsar', 'google-pubsub', 'kafka', 'iggy', 'omq']);
/** Stores that cannot be asked for changes: copies end with their ttl. */
const WITHOUT_CHANGES: ReadonlySet<string> = new Set(['dynamodb', 'surrealdb']);
const BROADCAST_MS = 2000;

/** Time after which a change of an app is effective in every process. */
export function propagationMs({ adapter, app_manager: { driver, cache } }: Config): number {
  if (!WITHOUT_BROADCAST.has(adapter.driver)) return BROADCAST_MS;
  const seconds = WITHOUT_CHANGES.has(driver) ? cache.ttl : cache.refresh_interval;
  return Math.max(BROADCAST_MS, seconds * 1000);
}
