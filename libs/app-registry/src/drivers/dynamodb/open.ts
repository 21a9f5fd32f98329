import * as sdk from '@aws-sdk/client-dynamodb';
import { dynamoClientOptions, dynamoPlace } from '@carillon/aws';
import type { Config } from '@carillon/config';
import { DynamoAppStore } from './store.js';

/** Limit of one attempt; callers bound the whole call. */
const REQUEST_TIMEOUT_MS = 5000;

/** Returns a store that is not connected. */
export function openDynamo({ database: { dynamodb } }: Pick<Config, 'database'>): DynamoAppStore {
  const client = new sdk.DynamoDBClient(dynamoClientOptions(dynamodb, REQUEST_TIMEOUT_MS));
  return new DynamoAppStore({ sdk, client, place: dynamoPlace(dynamodb), table: dynamodb.table_name });
}
