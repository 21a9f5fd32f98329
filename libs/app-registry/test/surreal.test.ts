import { engine } from '@carillon/test-backends';
import { Databases } from '@carillon/database';
import { createParts } from '@carillon/runtime';
import { openSurreal } from '@carillon/surreal';
import { configuration } from '@carillon/testing';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  AppConflict,
  AppNotStorable,
  AppStoreUnavailable,
  BrokenApp,
  openAppStore,
  type StoredApp,
} from '../src/index.js';
import { appStoreConformance } from './conformance.js';
import { record } from './samples.js';

let address: string;
let prefix: string;
let tables = 0;
beforeAll(async () => {
  const { url, name } = await (await engine('surrealdb')).isolate();
  address = url;
  prefix = name;
});

const newTable = (): string => `${prefix}_${(tables += 1)}`;

const configOf = (table: string, more: Record<string, string> = {}) =>
  configuration({
    APP_MANAGER_DRIVER: 'surrealdb',
    DATABASE_SURREALDB_URL: address,
    DATABASE_SURREALDB_TABLE_NAME: table,
    ...more,
  });

/** Returns a store that is not connected. */
async function storeOf(table = newTable(), more: Record<string, string> = {}) {
  const config = configOf(table, more);
  return openAppStore('surrealdb', { config, databases: new Databases(createParts(config)) });
}

/** Returns a connected store, and a session on its database for records that other programs write. */
async function opened() {
  const table = newTable();
  const store = await storeOf(table);
  const session = await openSurreal(configOf(table).database.surrealdb, 5000);
  onTestFinished(async () => {
    await store.close();
    await session.close();
  });
  await store.init();
  return { store, session, table };
}

const secretOf = (app: StoredApp | null): string | undefined =>
  app === null || app instanceof BrokenApp ? undefined : app.secret.reveal();

appStoreConformance('surrealdb', () => storeOf());

describe('apps in SurrealDB', () => {
  it('are in one table when several processes start concurrently', async () => {
    const table = newTable();
    const stores = await Promise.all(Array.from({ length: 4 }, () => storeOf(table)));
    await Promise.all(stores.map((store) => store.init()));
    await stores[0]?.create(record('a'));
    expect((await stores[3]?.findByKey('a-key'))?.id).toBe('a');
    await Promise.all(stores.map((store) => store.close()));
  });

  it('of other programs are found by id and by key, and keep their key', async () => {
    const { store, session, table } = await opened();
    await session.query(`CREATE ${table}:old SET key = 'old-key', secret = 's', policy = { limits: {} }`);
    expect(await store.findById('old')).toMatchObject({ id: 'old', enabled: true });
    expect((await store.findByKey('old-key'))?.id).toBe('old');
    await expect(store.create(record('a', { key: 'old-key' }))).rejects.toEqual(new AppConflict('a', 'key'));
  });

  it('have their policy as an object, and a unique index on the key', async () => {
    const { store, session, table } = await opened();
    await store.create(record('a', { policy: { limits: { max_connections: 5 } } }));
    const [limit] = await session.query(`SELECT VALUE policy.limits.max_connections FROM ONLY ${table}:a`);
    expect(limit).toBe(5);
    await expect(session.query(`CREATE ${table}:b SET key = 'a-key'`)).rejects.toThrow(`${table}_key_idx`);
  });

  it('that cannot be read do no harm to others', async () => {
    const { store, session, table } = await opened();
    await store.create(record('a'));
    await session.query(`CREATE ${table}:b SET key = 'b-key', secret = 's', policy = 'none';
      CREATE ${table}:c SET key = 'c-key', policy = {}; CREATE ${table}:1 SET key = 'one'`);
    expect(await store.findByKey('b-key')).toBeInstanceOf(BrokenApp);
    expect(await store.findById('c')).toBeInstanceOf(BrokenApp);
    expect(await store.findByKey('one')).toBeNull();
    const { apps } = await store.list({ limit: 9, cursor: null });
    expect(apps.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  });

  it.each([`' or '1'='1`, '`; REMOVE TABLE x; --', '⟨a⟩', 'a\0b', '\u{1F514} e\u0301 \u2028', ' ', '$id'])(
    'keep text as it is: %j',
    async (text) => {
      const { store } = await opened();
      await store.create(record('h', { key: text, secret: text, policy: { x: { [text]: text } } }));
      expect(secretOf(await store.findByKey(text))).toBe(text);
      expect(await store.findByKey(`${text} `)).toBeNull();
      expect(await store.findById('h')).toMatchObject({ policy: { extra: { x: { [text]: text } } } });
      expect(await store.findById(text)).toBeNull();
    },
  );

  it('keep numbers of 64 bits; larger ones and lone surrogates are rejected', async () => {
    const { store } = await opened();
    const numbers = [2 ** 53, -(2 ** 62), 1.5, 0, 2 ** 32];
    await store.create(record('a', { policy: { x: numbers } }));
    expect(await store.findById('a')).toMatchObject({ policy: { extra: { x: numbers } } });
    for (const x of [2 ** 63, 1e300, '\uD800', { '\uDC00': 1 }]) {
      await expect(store.create(record('b', { policy: { x } }))).rejects.toThrow(AppNotStorable);
    }
    await store.create(record('b', { policy: { x: '\\ud800' } }));
    expect(await store.findById('b')).toMatchObject({ policy: { extra: { x: '\\ud800' } } });
    for (const name of ['', '\uD800', 'x'.repeat(5000)]) {
      expect([await store.findById(name), await store.findByKey(name)]).toEqual([null, null]);
    }
  });

  it('are unavailable, never missing, while no server answers or the credentials are wrong', async () => {
    const unreachable = await storeOf('t', { DATABASE_SURREALDB_URL: 'ws://127.0.0.1:1' });
    for (const call of [
      () => unreachable.init(),
      () => unreachable.findByKey('a'),
      () => unreachable.health(),
    ]) {
      await expect(call()).rejects.toThrow(AppStoreUnavailable);
    }
    await unreachable.close();
    const rejected = await storeOf('t', { DATABASE_SURREALDB_PASSWORD: 'wrong' });
    await expect(rejected.init()).rejects.toThrow('check database.surrealdb.username');
    await rejected.close();
  });
});
