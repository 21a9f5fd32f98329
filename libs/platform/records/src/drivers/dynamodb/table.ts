import { setTimeout } from 'node:timers/promises';
import type { CreateTableCommandInput, TableDescription } from '@aws-sdk/client-dynamodb';
import { awsFailureText, isCredentialFailure } from '@carillon/aws';
import type { Deadline } from '../deadline.js';
import { ATTRIBUTES } from './items.js';
import type { DynamoParts } from './requests.js';

const POLL_MS = 250;
const { partition: PARTITION, sort: SORT, ttlSeconds: TTL } = ATTRIBUTES;
const KEYS = `partition key "${PARTITION}" (String) and sort key "${SORT}" (String)`;

/** A table that an operator must correct. */
export class WrongTable extends Error {
  override readonly name = 'WrongTable';
}

/** Creates the table unless it exists, waits until it is active, and lets it delete expired items. */
export async function ensureTable(parts: DynamoParts, deadline: Deadline): Promise<void> {
  for (;;) {
    const found = await describeTable(parts, deadline);
    if (found === null) await createTable(parts, deadline);
    else if (isActive(found, parts.table)) break;
    await setTimeout(found === null ? 0 : POLL_MS, undefined, { signal: deadline.signal });
  }
  await ensureExpiry(parts, deadline);
}

async function describeTable(parts: DynamoParts, { signal }: Deadline): Promise<TableDescription | null> {
  const { sdk, client, table } = parts;
  try {
    const command = new sdk.DescribeTableCommand({ TableName: table });
    return (await client.send(command, { abortSignal: signal })).Table ?? null;
  } catch (error) {
    if (error instanceof sdk.ResourceNotFoundException) return null;
    throw error;
  }
}

function isActive({ TableStatus: status, KeySchema: keys = [] }: TableDescription, table: string): boolean {
  const schema = keys.map(({ AttributeName: name, KeyType: type }) => `${type} ${name}`).sort();
  if (schema.join() !== `HASH ${PARTITION},RANGE ${SORT}`) {
    throw new WrongTable(`DynamoDB table "${table}" has other keys (${schema.join(', ')}); it needs ${KEYS}`);
  }
  return status === 'ACTIVE' || status === 'UPDATING';
}

const shapeOf = (table: string): CreateTableCommandInput => ({
  TableName: table,
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: [
    { AttributeName: PARTITION, AttributeType: 'S' },
    { AttributeName: SORT, AttributeType: 'S' },
  ],
  KeySchema: [
    { AttributeName: PARTITION, KeyType: 'HASH' },
    { AttributeName: SORT, KeyType: 'RANGE' },
  ],
});

async function createTable({ sdk, client, place, table }: DynamoParts, { signal }: Deadline): Promise<void> {
  try {
    await client.send(new sdk.CreateTableCommand(shapeOf(table)), { abortSignal: signal });
  } catch (error) {
    // Another process creates it.
    if (error instanceof sdk.ResourceInUseException) return;
    if (!isCredentialFailure(error)) throw error;
    const remedy = `create it with ${KEYS} and TTL attribute "${TTL}", or allow dynamodb:CreateTable`;
    const reason = awsFailureText(error, place);
    throw new WrongTable(
      `DynamoDB table "${table}" does not exist and cannot be created; ${remedy}: ${reason}`,
      {
        cause: error,
      },
    );
  }
}

async function ensureExpiry(parts: DynamoParts, { signal }: Deadline): Promise<void> {
  if (await hasExpiry(parts, signal)) return;
  const { sdk, client, place, table } = parts;
  const command = new sdk.UpdateTimeToLiveCommand({
    TableName: table,
    TimeToLiveSpecification: { Enabled: true, AttributeName: TTL },
  });
  try {
    await client.send(command, { abortSignal: signal });
  } catch (error) {
    if (isCredentialFailure(error)) {
      const remedy = `enable TTL on attribute "${TTL}", or allow dynamodb:UpdateTimeToLive`;
      const reason = awsFailureText(error, place);
      throw new WrongTable(`DynamoDB table "${table}" deletes no expired items; ${remedy}: ${reason}`, {
        cause: error,
      });
    }
    // Another process has enabled it.
    if (!(await hasExpiry(parts, signal))) throw error;
  }
}

async function hasExpiry({ sdk, client, table }: DynamoParts, signal: AbortSignal): Promise<boolean> {
  const command = new sdk.DescribeTimeToLiveCommand({ TableName: table });
  const { TimeToLiveDescription: found } = await client.send(command, { abortSignal: signal });
  const isOn = found?.TimeToLiveStatus === 'ENABLED' || found?.TimeToLiveStatus === 'ENABLING';
  if (isOn && found.AttributeName !== TTL) {
    throw new WrongTable(
      `DynamoDB table "${table}" expires items by attribute "${found.AttributeName}"; set its TTL attribute to "${TTL}"`,
    );
  }
  return isOn;
}
