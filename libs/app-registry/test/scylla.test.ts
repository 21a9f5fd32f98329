import { createRequire } from 'node:module';
import { Databases } from '@carillon/database';
import { engine } from '@carillon/test-backends';
import { createParts } from '@carillon/runtime';
import { ScyllaSession } from '@carillon/scylla';
import { configuration } from '@carillon/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ScyllaAppStore } from '../src/drivers/scylla/store.js';
import { AppConflict, AppNotStorable, AppStoreUnavailable, BrokenApp, openAppStore } from '../src/index.js';
import { appStoreConformance } from './conformance.js';
import { record } from './samples.js';

const isLoaded = (): boolean =>
  Object.keys(createRequire(import.meta.url).cache).some((path) =>
    path.includes('/node_modules/cassandra-driver/'),
  );

/** A node takes some ten seconds to start. */
const START_LIMIT_MS = 120_000;

let nodes: string;
let keyspace: string;
let end: () => Promise<void>;
let tables = 0;
beforeAll(async () => {
  const node = await engine('cassandra');
  nodes = `${node.host}:${node.port}`;
  ({ name: keyspace, end } = await node.isolate());
}, START_LIMIT_MS);
afterAll(() => end(), START_LIMIT_MS);

const newTable = (): string => `apps_${++tables}`;

function configOf({ table = 'applications', password = 'cassandra', at = nodes } = {}) {
  const env = { APP_MANAGER_DRIVER: 'scylladb', SCYLLADB_NODES: at, SCYLLADB_KEYSPACE: keyspace };
  const settings = [`table_name = "${table}"`, 'username = "cassandra"', `password = "${password}"`];
  return configuration(env, ['[database.scylladb]', ...settings].join('\n'));
}

/** A store that was never connected, over a table that no test has used unless it is named. */
function storeOf(settings: Parameters<typeof configOf>[0] = {}) {
  const config = configOf({ table: newTable(), ...settings });
  return openAppStore('scylladb', { config, databases: new Databases(createParts(config)) });
}

/** Returns a connected store without a delay of reservations, and a session for writes of other programs. */
async function opened() {
  const table = newTable();
  const { scylladb } = configOf({ table }).database;
  const store = new ScyllaAppStore(new ScyllaSession(scylladb), table, 0);
  const session = new ScyllaSession(scylladb);
  onTestFinished(async () => {
    await store.close();
    await session.close();
  });
  await store.init();
  const name = session.table(table);
  const insert = (values: Record<string, unknown>) => {
    const columns = Object.keys(values).map((column) => `"${column}"`);
    const query = `INSERT INTO ${name} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
    return session.writeAll([{ query, params: Object.values(values) }]);
  };
  return { store, session, table, name, insert };
}

it('loads its client library when it is opened', async () => {
  await (await openAppStore('memory')).init();
  await (await storeOf()).close();
  expect(isLoaded()).toBe(true);
});

appStoreConformance('scylladb', () => storeOf());

describe('apps in ScyllaDB', () => {
  it('have one table when several processes start concurrently', async () => {
    const table = newTable();
    const stores = await Promise.all([1, 2, 3, 4].map(() => storeOf({ table })));
    await Promise.all(stores.map((store) => store.init()));
    await stores[0]?.create(record('a'));
    expect((await stores[3]?.findByKey('a-key'))?.id).toBe('a');
    await Promise.all(stores.map((store) => store.close()));
  });

  it('are stored in the documented columns', async () => {
    const { store, session, name } = await opened();
    await store.create(record('a', { enabled: false }));
    const { rows } = await session.read({ query: `SELECT * FROM ${name}`, params: [] });
    expect(rows).toEqual([
      {
        id: 'a',
        key: 'a-key',
        secret: 'a-secret',
        enabled: false,
        policy: expect.stringMatching(/^\{/),
        created_at: expect.any(Date),
        updated_at: expect.any(Date),
      },
    ]);
  });

  it('written by another program are found by key, and keep their keys', async () => {
    const { store, insert } = await opened();
    await insert({ id: 'old', key: 'old-key', secret: 's' });
    expect(await store.findByKey('old-key')).toMatchObject({ id: 'old', enabled: true });
    await expect(store.create(record('a', { key: 'old-key' }))).rejects.toEqual(new AppConflict('a', 'key'));
    await store.update(record('old', { key: 'new' }));
    await store.create(record('a', { key: 'old-key' }));
    expect((await store.findByKey('old-key'))?.id).toBe('a');
  });

  it('deleted by another program leave their keys free', async () => {
    const { store, session, name } = await opened();
    await store.create(record('gone'));
    await session.applyIf([{ query: `DELETE FROM ${name} WHERE id = ? IF EXISTS`, params: ['gone'] }]);
    expect(await store.findByKey('gone-key')).toBeNull();
    await store.create(record('a', { key: 'gone-key' }));
    expect((await store.findByKey('gone-key'))?.id).toBe('a');
  });

  it('cannot take a key that another process has just reserved', async () => {
    const { store, session, table } = await opened();
    const query = `INSERT INTO ${session.table(`${table}_keys`)} ("key", app_id, reservation) VALUES (?, ?, ?) IF NOT EXISTS`;
    await session.applyIf([{ query, params: ['k', 'other', 'r'] }]);
    const patient = new ScyllaAppStore(new ScyllaSession(session.settings), table);
    onTestFinished(() => patient.close());
    await expect(patient.create(record('a', { key: 'k' }))).rejects.toEqual(new AppConflict('a', 'key'));
    await store.create(record('a', { key: 'k' }));
    expect((await patient.findByKey('k'))?.id).toBe('a');
  });

  it('that cannot be read do not affect others', async () => {
    const { store, insert } = await opened();
    await store.create(record('a'));
    await insert({ id: 'b', key: 'b-key', secret: 's', policy: '{' });
    await insert({ id: 'c', key: 'c-key', policy: '{}' });
    expect(await store.findByKey('b-key')).toBeInstanceOf(BrokenApp);
    expect(await store.findById('c')).toBeInstanceOf(BrokenApp);
    const { apps } = await store.list({ limit: 9, cursor: null });
    expect(apps.map(({ id }) => id).sort()).toEqual(['a', 'b', 'c']);
  });

  it('are rejected when their policy is too long, and not found under names that no app has', async () => {
    const { store } = await opened();
    const webhooks = Array.from({ length: 1100 }, () => ({
      url: `https://h/${'x'.repeat(1000)}`,
      event_types: ['cache_miss'],
    }));
    await expect(store.create(record('a', { policy: { webhooks } }))).rejects.toThrow(AppNotStorable);
    for (const name of ['', 'x'.repeat(70_000), '\ud800']) {
      expect([await store.findById(name), await store.findByKey(name), await store.delete(name)]).toEqual([
        null,
        null,
        false,
      ]);
    }
  });

  it('updated by several writers concurrently end with one key, and release the others', async () => {
    const { store } = await opened();
    await store.create(record('a'));
    const keys = ['k1', 'k2', 'k3', 'k4'];
    const outcomes = await Promise.allSettled(keys.map((key) => store.update(record('a', { key }))));
    expect(outcomes.some(({ status }) => status === 'fulfilled')).toBe(true);
    const app = (await store.findById('a')) as { key: string } | null;
    for (const other of ['a-key', ...keys].filter((key) => key !== app?.key)) {
      expect(await store.findByKey(other)).toBeNull();
      await store.create(record(`taker-${other}`, { key: other }));
    }
  });

  it('are reported as changed page by page', async () => {
    const { store } = await opened();
    const start = await store.changedSince(null, 10);
    for (const id of ['a', 'b', 'c', 'd', 'e']) await store.create(record(id));
    const seen: string[] = [];
    let mark: string | null = start.mark;
    for (;;) {
      const page: Awaited<ReturnType<typeof store.changedSince>> = await store.changedSince(mark, 2);
      seen.push(...page.appIds);
      mark = page.mark;
      if (page.appIds.length < 2) break;
    }
    expect(seen.sort()).toEqual(['a', 'b', 'c', 'd', 'e']);
    await expect(store.changedSince('[1]', 2)).rejects.toThrow('not a mark');
  });

  it('are unavailable, not missing, while no node answers', async () => {
    const store = await storeOf({ at: '127.0.0.1:1' });
    for (const call of [() => store.init(), () => store.findByKey('a'), () => store.health()])
      await expect(call()).rejects.toThrow(AppStoreUnavailable);
    await store.close();
  });

  it('need credentials that the server accepts', async () => {
    const store = await storeOf({ password: 'wrong' });
    await expect(store.init()).rejects.toThrow(
      /rejects database\.scylladb\.username "cassandra" and database\.scylladb\.password/,
    );
    await store.close();
  });
});
