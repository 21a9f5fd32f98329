import { createRequire } from 'node:module';
import type * as Sdk from '@aws-sdk/client-dynamodb';
import { configure } from '@carillon/config';
import { Databases } from '@carillon/database';
import { engine } from '@carillon/test-backends';
import { createParts } from '@carillon/runtime';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { AppConflict, AppNotStorable, AppStoreUnavailable, BrokenApp, openAppStore } from '../src/index.js';
import { appStoreConformance } from './conformance.js';
import { record } from './samples.js';

const require = createRequire(import.meta.url);
const loaded = (): boolean =>
  Object.keys(require.cache).some((path) => path.includes('/node_modules/@aws-sdk/client-dynamodb/'));

let endpoint: string;
let prefix: string;
let tables = 0;
beforeAll(async () => {
  const { url, name } = await (await engine('moto')).isolate();
  endpoint = url;
  prefix = name;
});

/** Returns an unconnected store over an unused table, or over a named one. */
async function storeOf(table = `${prefix}-${++tables}`, url = endpoint) {
  const outcome = configure({
    process: 'server',
    argv: [],
    env: {
      RUST_LOG: 'off',
      APP_MANAGER_DRIVER: 'dynamodb',
      DATABASE_DYNAMODB_ENDPOINT_URL: url,
      DATABASE_DYNAMODB_TABLE_NAME: table,
      AWS_ACCESS_KEY_ID: 'carillon',
      AWS_SECRET_ACCESS_KEY: 'secret',
    },
    cwd: '/nowhere',
    files: { exists: () => false, read: () => '' },
  });
  if (outcome.kind === 'exit') throw new Error(outcome.stderr);
  const { config } = outcome;
  return openAppStore('dynamodb', { config, databases: new Databases(createParts(config)) });
}

it('loads its library when it is chosen, and not before', async () => {
  await (await openAppStore('memory')).init();
  expect(loaded()).toBe(false);
  await (await storeOf()).close();
  expect(loaded()).toBe(true);
});

appStoreConformance('dynamodb', () => storeOf());

describe('apps in DynamoDB', () => {
  let sdk: typeof Sdk;
  let client: Sdk.DynamoDBClient;
  beforeAll(async () => {
    sdk = await import('@aws-sdk/client-dynamodb');
  });
  beforeEach(() => {
    const credentials = { accessKeyId: 'carillon', secretAccessKey: 'secret' };
    client = new sdk.DynamoDBClient({ region: 'us-east-1', endpoint, credentials });
    onTestFinished(() => client.destroy());
  });

  async function opened() {
    const table = `${prefix}-${++tables}`;
    const store = await storeOf(table);
    onTestFinished(() => store.close());
    await store.init();
    const put = (Item: Record<string, Sdk.AttributeValue>) =>
      client.send(new sdk.PutItemCommand({ TableName: table, Item }));
    return { store, table, put };
  }

  it('make one table when many processes start at once', async () => {
    const table = `${prefix}-${++tables}`;
    const stores = await Promise.all(Array.from({ length: 4 }, () => storeOf(table)));
    await Promise.all(stores.map((store) => store.init()));
    await stores[0]?.create(record('a'));
    expect((await stores[3]?.findByKey('a-key'))?.id).toBe('a');
    await Promise.all(stores.map((store) => store.close()));
  });

  it('that others wrote are found by key, and keep theirs', async () => {
    const { store, put } = await opened();
    await put({ id: { S: 'old' }, key: { S: 'old-key' }, secret: { S: 's' }, enabled: { BOOL: true } });
    expect(await store.findByKey('old-key')).toMatchObject({ id: 'old', enabled: true });
    await expect(store.create(record('a', { key: 'old-key' }))).rejects.toEqual(new AppConflict('a', 'key'));
    await store.update(record('old', { key: 'new' }));
    await store.create(record('a', { key: 'old-key' }));
    expect((await store.findByKey('old-key'))?.id).toBe('a');
  });

  it('that others deleted leave their keys free', async () => {
    const { store, table } = await opened();
    await store.create(record('gone'));
    await client.send(new sdk.DeleteItemCommand({ TableName: table, Key: { id: { S: 'gone' } } }));
    expect(await store.findByKey('gone-key')).toBeNull();
    await store.create(record('a', { key: 'gone-key' }));
    expect((await store.findByKey('gone-key'))?.id).toBe('a');
  });

  it('that cannot be read harm no others', async () => {
    const { store, put } = await opened();
    await store.create(record('a'));
    await put({ id: { S: 'b' }, key: { S: 'b-key' }, secret: { S: 's' }, policy: { S: '{' } });
    await put({ id: { S: 'c' }, key: { S: 'c-key' }, policy: { S: '{}' } });
    expect(await store.findByKey('b-key')).toBeInstanceOf(BrokenApp);
    expect(await store.findById('c')).toBeInstanceOf(BrokenApp);
    const { apps } = await store.list({ limit: 9, cursor: null });
    expect(apps.map(({ id }) => id).sort()).toEqual(['a', 'b', 'c']);
  });

  it('are no more than an item holds, nor called what no item is', async () => {
    const { store } = await opened();
    const webhooks = Array.from({ length: 500 }, () => ({
      url: `https://h/${'x'.repeat(1000)}`,
      event_types: ['cache_miss'],
    }));
    await expect(store.create(record('a', { policy: { webhooks } }))).rejects.toThrow(AppNotStorable);
    const names = ['', 'x'.repeat(5000), '\ud800', 'key#a-key'];
    for (const name of names)
      expect([await store.findById(name), await store.findByKey(name)]).toEqual([null, null]);
  });

  it('of many writers at one app end with one key, and no other is kept', async () => {
    const { store } = await opened();
    await store.create(record('a'));
    const keys = ['k1', 'k2', 'k3', 'k4'];
    const writers = keys.map((key) => store.update(record('a', { key })));
    const outcomes = await Promise.allSettled(writers);
    expect(outcomes.some(({ status }) => status === 'fulfilled')).toBe(true);
    const key = (await store.findById('a')) as { key: string } | null;
    for (const other of ['a-key', ...keys].filter((one) => one !== key?.key)) {
      expect(await store.findByKey(other)).toBeNull();
      await store.create(record(`taker-${other}`, { key: other }));
    }
  });

  it('are unavailable, never missing, while nothing answers', async () => {
    const store = await storeOf('nowhere', 'http://127.0.0.1:1');
    for (const asked of [() => store.init(), () => store.findByKey('a'), () => store.health()])
      await expect(asked()).rejects.toThrow(AppStoreUnavailable);
    await store.close();
  });
});
