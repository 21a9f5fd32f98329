import { describe, expect, it } from 'vitest';
import { dynamo, sns } from '../src/engines/moto.js';
import { engine } from '../src/index.js';

it('moto lists a topic that was created', async () => {
  const topics = await engine('moto');
  const { name: Name } = await topics.isolate();
  await sns(topics.url, 'CreateTopic', { Name });
  expect(await sns(topics.url, 'ListTopics')).toContain(`:${Name}<`);
});

async function newTable() {
  const { url, name: TableName } = await (await engine('moto')).isolate();
  await dynamo(url, 'CreateTable', {
    TableName,
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    BillingMode: 'PAY_PER_REQUEST',
  });
  /** @param {string} id @param {boolean} isNew */
  const put = (id, isNew) => ({
    Put: {
      TableName,
      Item: { id: { S: id } },
      ...(isNew ? { ConditionExpression: 'attribute_not_exists(id)' } : {}),
    },
  });
  const itemOf = async (/** @type {string} */ id) =>
    (await dynamo(url, 'GetItem', { TableName, Key: { id: { S: id } } })).Item;
  return { url, put, itemOf };
}

describe('tables of moto', () => {
  it('keep no change of a transaction whose condition fails', async () => {
    const { url, put, itemOf } = await newTable();
    await dynamo(url, 'TransactWriteItems', { TransactItems: [put('tenor', true)] });
    const both = { TransactItems: [put('treble', true), put('tenor', true)] };
    await expect(dynamo(url, 'TransactWriteItems', both)).rejects.toThrow('ConditionalCheckFailed');
    expect(await itemOf('treble')).toBeUndefined();
    expect(await itemOf('tenor')).toEqual({ id: { S: 'tenor' } });
  });

  it('keep the changes of other transactions while some fail', async () => {
    const { url, put, itemOf } = await newTable();
    await dynamo(url, 'TransactWriteItems', { TransactItems: [put('taken', true)] });
    const names = Array.from({ length: 20 }, (_, number) => `bell-${number}`);
    const outcomes = await Promise.allSettled(
      names.flatMap((name) => [
        dynamo(url, 'TransactWriteItems', { TransactItems: [put(name, true)] }),
        dynamo(url, 'TransactWriteItems', { TransactItems: [put('other', false), put('taken', true)] }),
      ]),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(names.length);
    for (const name of names) expect(await itemOf(name)).toEqual({ id: { S: name } });
    expect(await itemOf('other')).toBeUndefined();
  });
});
