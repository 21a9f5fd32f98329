import { configuration } from '@carillon/testing';
import { createServer, type IncomingMessage } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDynamoRecords } from '../src/drivers/dynamodb/open.js';
import { RecordsUnavailable } from '../src/index.js';
import { absent, commitOf, row } from './backend.js';

type Body = Record<string, unknown>;

/** An answer with status 200, or the name of an error, with members of its body. */
type Answer =
  | { readonly body: Body }
  | { readonly error: string; readonly status?: number; readonly more?: Body };

interface Request {
  readonly action: string;
  readonly body: Body;
}

/** Longer than any test here takes on a busy machine. */
const TIMEOUT_MS = 20_000;
const SHORT_TIMEOUT_MS = 1500;

async function bodyOf(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString()) as Body;
}

/** A store over a server that gives these answers in order, and repeats the last one. */
async function scripted(answers: readonly Answer[], timeoutMs = TIMEOUT_MS) {
  const requests: Request[] = [];
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const action = String(request.headers['x-amz-target']).replace('DynamoDB_20120810.', '');
      requests.push({ action, body });
      const answer = answers[Math.min(requests.length, answers.length) - 1] as Answer;
      const headers = { 'content-type': 'application/x-amz-json-1.0' };
      if ('body' in answer) return response.writeHead(200, headers).end(JSON.stringify(answer.body));
      const text = JSON.stringify({ __type: `x#${answer.error}`, message: 'scripted', ...answer.more });
      return response.writeHead(answer.status ?? 400, headers).end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const config = configuration({
    DATABASE_DYNAMODB_ENDPOINT_URL: `http://127.0.0.1:${port}`,
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'not-a-secret',
  });
  const store = await openDynamoRecords({
    config,
    table: 't',
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  onTestFinished(async () => {
    await store.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { store, requests };
}

const cancelled = (...codes: string[]): Answer => ({
  error: 'TransactionCanceledException',
  more: { CancellationReasons: codes.map((Code) => ({ Code })) },
});

const COMMIT = commitOf({ conditions: [absent('a'), absent('b')], puts: [row('a')] });
const KEYS = [
  { AttributeName: 'partition_id', KeyType: 'HASH' },
  { AttributeName: 'sort_id', KeyType: 'RANGE' },
];
const TABLE: Answer = { body: { Table: { TableStatus: 'ACTIVE', KeySchema: KEYS } } };

describe('a commit in DynamoDB', () => {
  it('repeats a transaction that conflicts or is throttled, under one idempotency token', async () => {
    const { store, requests } = await scripted([
      cancelled('TransactionConflict', 'None'),
      cancelled('None', 'ThrottlingError'),
      { error: 'TransactionInProgressException' },
      { body: {} },
    ]);
    expect(await store.commit(COMMIT)).toBe(true);
    expect(requests.map(({ action }) => action)).toEqual(Array(4).fill('TransactWriteItems'));
    expect(new Set(requests.map(({ body }) => body['ClientRequestToken'])).size).toBe(1);
  });

  it('resolves with false only if a condition does not hold', async () => {
    const failed = await scripted([cancelled('None', 'ConditionalCheckFailed')]);
    expect(await failed.store.commit(COMMIT)).toBe(false);
    expect(failed.requests).toHaveLength(1);
    const invalid = await scripted([cancelled('ValidationError', 'None')]);
    await expect(invalid.store.commit(COMMIT)).rejects.toThrow(RecordsUnavailable);
    expect(invalid.requests).toHaveLength(1);
  });

  it('is unavailable when conflicts last longer than its limit', async () => {
    const { store, requests } = await scripted([cancelled('TransactionConflict', 'None')], SHORT_TIMEOUT_MS);
    await expect(store.commit(COMMIT)).rejects.toThrow(`no answer within ${SHORT_TIMEOUT_MS} ms`);
    expect(requests.length).toBeGreaterThan(0);
  });
});

describe('batches in DynamoDB', () => {
  it('are repeated for keys and items that were not processed', async () => {
    const item = {
      partition_id: { S: 'p' },
      sort_id: { S: 'a' },
      row_version: { N: '1' },
      row_value: { S: 'v' },
    };
    const other = { ...item, sort_id: { S: 'b' } };
    const key = { partition_id: { S: 'p' }, sort_id: { S: 'b' } };
    const read = await scripted([
      { body: { Responses: { t: [item] }, UnprocessedKeys: { t: { Keys: [key], ConsistentRead: true } } } },
      { body: { Responses: { t: [other] } } },
    ]);
    const found = await read.store.get(['a', 'b'].map((sort) => ({ partition: 'p', sort })));
    expect(found.map(({ sort }) => sort)).toEqual(['a', 'b']);
    expect(read.requests[1]?.body).toEqual({ RequestItems: { t: { Keys: [key], ConsistentRead: true } } });
    const write = { PutRequest: { Item: item } };
    const written = await scripted([{ body: { UnprocessedItems: { t: [write] } } }, { body: {} }]);
    await written.store.put([{ partition: 'p', ...row('a') }]);
    expect(written.requests[1]?.body).toEqual({ RequestItems: { t: [write] } });
  });
});

describe('connecting to DynamoDB', () => {
  it('names table, keys and permission when the table is missing and may not be created', async () => {
    const { store } = await scripted([
      { error: 'ResourceNotFoundException' },
      { error: 'AccessDeniedException' },
    ]);
    const error: unknown = await store.connect().catch((thrown: unknown) => thrown);
    expect(error).not.toBeInstanceOf(RecordsUnavailable);
    expect(String(error)).toMatch(
      /table "t" does not exist and cannot be created; create it with partition key "partition_id" .* or allow dynamodb:CreateTable/,
    );
  });

  it('names the keys of a table that has others', async () => {
    const id = [{ AttributeName: 'id', KeyType: 'HASH' }];
    const { store } = await scripted([{ body: { Table: { TableStatus: 'ACTIVE', KeySchema: id } } }]);
    await expect(store.connect()).rejects.toThrow(
      'table "t" has other keys (HASH id); it needs partition key',
    );
  });

  it('waits until the table is active and enables its expiry', async () => {
    const { store, requests } = await scripted([
      { body: { Table: { TableStatus: 'CREATING', KeySchema: KEYS } } },
      TABLE,
      { body: { TimeToLiveDescription: { TimeToLiveStatus: 'DISABLED' } } },
      { body: {} },
    ]);
    await store.connect();
    expect(requests.at(-1)).toEqual({
      action: 'UpdateTimeToLive',
      body: { TableName: 't', TimeToLiveSpecification: { Enabled: true, AttributeName: 'expiry_s' } },
    });
  });

  it('rejects a table that expires items by another attribute', async () => {
    const { store } = await scripted([
      TABLE,
      { body: { TimeToLiveDescription: { TimeToLiveStatus: 'ENABLED', AttributeName: 'ttl' } } },
    ]);
    await expect(store.connect()).rejects.toThrow('expires items by attribute "ttl"; set its TTL attribute');
  });

  it('names the settings of rejected credentials, and no credential', async () => {
    const { store } = await scripted([{ error: 'UnrecognizedClientException' }]);
    const error: unknown = await store.connect().catch((thrown: unknown) => thrown);
    expect(error).not.toBeInstanceOf(RecordsUnavailable);
    expect(String(error)).toMatch(
      /rejected the AWS credentials .*; check database\.dynamodb\.aws_access_key_id/,
    );
    expect(String(error)).not.toMatch(/AKIDEXAMPLE|not-a-secret/);
  });
});
