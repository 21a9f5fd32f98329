import { dynamoClientOptions, dynamoPlace } from '@carillon/aws';
import type { RecordsOptions } from '../../options.js';
import type { RecordStore } from '../../port.js';
import { DynamoRecords } from './store.js';

const TIMEOUT_MS = 5000;

/** Returns a store over a table, not connected. Loads the client library. */
export async function openDynamoRecords({
  config: { database },
  table,
  timeoutMs = TIMEOUT_MS,
}: RecordsOptions): Promise<RecordStore> {
  const sdk = await import('@aws-sdk/client-dynamodb');
  const client = new sdk.DynamoDBClient(dynamoClientOptions(database.dynamodb, timeoutMs));
  return new DynamoRecords({ sdk, client, place: dynamoPlace(database.dynamodb), table, timeoutMs });
}
