import type { RecordsOptions } from './options.js';
import type { RecordStore } from './port.js';

type OpenRecords = (options: RecordsOptions) => Promise<RecordStore>;

/** One line per driver; its client library is loaded when the driver is chosen. */
const DRIVERS: ReadonlyMap<string, OpenRecords> = new Map<string, OpenRecords>([
  ['dynamodb', async (options) => (await import('./drivers/dynamodb/open.js')).openDynamoRecords(options)],
  ['scylladb', async (options) => (await import('./drivers/scylla/open.js')).openScyllaRecords(options)],
  ['surrealdb', async (options) => (await import('./drivers/surreal/open.js')).openSurrealRecords(options)],
]);

/** Names of the drivers of this build. */
export const RECORDS_DRIVERS: readonly string[] = [...DRIVERS.keys()];

/** Returns a store that is not connected yet. Rejects if this build has no such driver. */
export async function openRecords(driver: string, options: RecordsOptions): Promise<RecordStore> {
  const open = DRIVERS.get(driver);
  if (open === undefined) {
    throw new Error(`records driver "${driver}" is not available; expected ${RECORDS_DRIVERS.join(', ')}`);
  }
  return open(options);
}
