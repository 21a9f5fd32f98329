import { describe, expect, it } from 'vitest';
import { dynamo } from '../src/engines/dynamodb.js';
import { engine } from '../src/index.js';

describe('dynamodb', () => {
  it('keeps an item in a table and lists the table', async () => {
    const tables = await engine('dynamodb');
    const { name: TableName } = await tables.isolate();
    await dynamo(tables.url, 'CreateTable', {
      TableName,
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      BillingMode: 'PAY_PER_REQUEST',
    });
    const Item = { id: { S: 'bell' }, name: { S: 'tenor' } };
    await dynamo(tables.url, 'PutItem', { TableName, Item });
    expect(await dynamo(tables.url, 'GetItem', { TableName, Key: { id: { S: 'bell' } } })).toEqual({ Item });
    expect((await dynamo(tables.url, 'ListTables', {})).TableNames).toContain(TableName);
    await dynamo(tables.url, 'DeleteTable', { TableName });
  });
});
