import { dynamoClientOptions, dynamoPlace } from '@carillon/aws';
import type { Config } from '@carillon/config';
import type { RecordStore } from '../../port.js';
import { DynamoRecords } from './store.js';

/** Returns a store over a table, not connected. Loads the client library. */
export async function openDynamoRecords(
  { database: { dynamodb } }: Pick<Config, 'database'>,
  { table, timeoutMs }: { readonly table: string; readonly timeoutMs: number },
): Promise<RecordStore> {
  const sdk = await import('@aws-sdk/client-dynamodb');
  const client = new sdk.DynamoDBClient(dynamoClientOptions(dynamodb, timeoutMs));
  return new DynamoRecords({ sdk, client, place: dynamoPlace(dynamodb), table, timeoutMs });
}
