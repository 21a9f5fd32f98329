import { setTimeout } from 'node:timers/promises';
import type { CreateTableCommandInput, DynamoDBClient, TableDescription } from '@aws-sdk/client-dynamodb';
import { AppStoreUnavailable } from '../../failures.js';
import type { Sdk } from './sdk.js';

/** The index that finds apps by key which were written by other programs, without a guard item. */
export const KEY_INDEX = 'KeyIndex';

const MAX_LOOKS = 10;
const PAUSE_MS = 2000;

const shapeOf = (table: string): CreateTableCommandInput => ({
  TableName: table,
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: [
    { AttributeName: 'id', AttributeType: 'S' },
    { AttributeName: 'key', AttributeType: 'S' },
  ],
  KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
  GlobalSecondaryIndexes: [
    {
      IndexName: KEY_INDEX,
      KeySchema: [{ AttributeName: 'key', KeyType: 'HASH' }],
      Projection: { ProjectionType: 'ALL' },
    },
  ],
});

/** Creates the table unless it exists, and waits until it and its index can be queried. */
export async function ensureTable(sdk: Sdk, client: DynamoDBClient, table: string): Promise<void> {
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    const found = await describeTable(sdk, client, table);
    if (found === null) await create(sdk, client, table);
    else if (isReady(found, table)) return;
    if (look > 0) await setTimeout(PAUSE_MS);
  }
  throw new AppStoreUnavailable(`the table ${table} is not ready yet`);
}

/** Returns null if the table does not exist. */
export async function describeTable(
  sdk: Sdk,
  client: DynamoDBClient,
  table: string,
): Promise<TableDescription | null> {
  try {
    return (await client.send(new sdk.DescribeTableCommand({ TableName: table }))).Table ?? null;
  } catch (thrown) {
    if (thrown instanceof sdk.ResourceNotFoundException) return null;
    throw thrown;
  }
}

function isReady(found: TableDescription, table: string): boolean {
  const index = found.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === KEY_INDEX);
  if (index === undefined) throw new AppStoreUnavailable(`the table ${table} has no index ${KEY_INDEX}`);
  return found.TableStatus !== 'CREATING' && index.IndexStatus === 'ACTIVE';
}

async function create(sdk: Sdk, client: DynamoDBClient, table: string): Promise<void> {
  try {
    await client.send(new sdk.CreateTableCommand(shapeOf(table)));
  } catch (thrown) {
    // Another node was faster.
    if (!(thrown instanceof sdk.ResourceInUseException)) throw thrown;
  }
}
