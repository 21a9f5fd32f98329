import { readFile } from 'node:fs/promises';
import { serializeAppRecord } from '@carillon/config';
import type { QueryRunner } from '@carillon/database';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { mysql } from '../src/drivers/sql/mysql.js';
import { postgres } from '../src/drivers/sql/postgres.js';
import { appTables } from '../src/drivers/sql/tables.js';
import { AppConflict, AppNotStorable, BrokenApp } from '../src/index.js';
import { record } from './samples.js';
import { corner, openSqlStore, quoted, SQL_DRIVERS, type SqlStore } from './sql-scene.js';

describe.each(SQL_DRIVERS)('the table of %s', (driver) => {
  let place: Awaited<ReturnType<typeof corner>>;
  beforeAll(async () => {
    place = await corner(driver);
  });
  afterAll(() => place.end());

  const q = (name: string): string => quoted(driver, name);
  /** A table that this service made. */
  const at = (name: string): string => (driver === 'postgres' ? `service.${q(name)}` : q(name));
  const json = driver === 'postgres' ? 'jsonb' : 'json';

  async function open(table?: string): Promise<SqlStore> {
    const opened = await openSqlStore(driver, place.url, table);
    onTestFinished(opened.close);
    return opened;
  }

  async function started(table?: string): Promise<SqlStore> {
    const opened = await open(table);
    await opened.store.init();
    return opened;
  }

  it('is made once by processes that start at once', async () => {
    const all = await Promise.all(Array.from({ length: 5 }, () => open('at_once')));
    await Promise.all(all.map(({ store }) => store.init()));
    const outcomes = await Promise.allSettled(all.map(({ store }) => store.create(record('a'))));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('has the columns and indexes that others read', async () => {
    const { database, table } = await started();
    const schema = driver === 'postgres' ? "'service'" : 'database()';
    const { rows } = await database.query(
      `select column_name as name, is_nullable as optional from information_schema.columns
       where table_schema = ${schema} and table_name = '${table}' order by ordinal_position`,
    );
    const stored = rows.map(
      ({ name, optional }) => `${String(name)} ${optional === 'YES' ? 'null' : 'not null'}`,
    );
    expect(stored).toEqual([
      'id not null',
      'key not null',
      'secret not null',
      'enabled not null',
      'max_connections not null',
      'max_client_events_per_second not null',
      'max_backend_events_per_second null',
      'max_read_requests_per_second null',
      'max_presence_members_per_channel null',
      'max_presence_member_size_in_kb null',
      'max_channel_name_length null',
      'max_event_channels_at_once null',
      'max_event_name_length null',
      'max_event_payload_in_kb null',
      'max_event_batch_size null',
      'enable_client_messages not null',
      'enable_user_authentication null',
      'enable_watchlist_events null',
      'policy null',
      'webhooks null',
      'idempotency null',
      'connection_recovery null',
      'allowed_origins null',
      'channel_delta_compression null',
      'previous_secret null',
      'previous_secret_expires_at null',
      'created_at not null',
      'updated_at not null',
    ]);
    const dialect = driver === 'postgres' ? postgres : mysql;
    const runner = {
      query: async (sql: string, values: string[]) => (await database.query(sql, values)).rows,
    } as unknown as QueryRunner;
    const { indexes } = await dialect.find(runner, database.place(`apps ${table}`), table);
    expect(
      indexes.map(({ columns, unique }) => `${columns.join()}${unique ? ' unique' : ''}`).sort(),
    ).toEqual(['created_at', 'enabled', 'id unique', 'key unique', 'updated_at']);
  });

  it('is given what it lacks, and keeps what it has', async () => {
    const { database, table, store } = await open();
    const other = await started();
    await other.database.query(
      `create table ${q(table)} (${q('id')} varchar(255) primary key, ${q('key')} varchar(255) not null,
       ${q('secret')} varchar(255) not null, ${q('region')} varchar(20))`,
    );
    await other.database.query(`insert into ${q(table)} values ('old', 'old-key', 'old-secret', 'eu')`);
    await store.init();
    await store.init();
    expect(await store.findByKey('old-key')).toMatchObject({ id: 'old', enabled: true });
    await store.update(record('old', { key: 'new-key' }));
    const { rows } = await database.query(`select region from ${q(table)}`);
    expect(rows).toEqual([{ region: 'eu' }]);
    await store.create(record('b'));
    await expect(store.create(record('c', { key: 'b-key' }))).rejects.toEqual(new AppConflict('c', 'key'));
  });

  it('of before migrations were recorded is taken over, with its apps', async () => {
    const before = await openSqlStore(driver, place.url, 'before');
    await before.store.init();
    const text = await readFile(new URL(`../../test/fixtures/${driver}.sql`, import.meta.url), 'utf8');
    for (const statement of text.trim().split('\n')) await before.database.query(statement.replace(/;$/, ''));
    await before.close();
    const { store, database } = await started('applications');
    expect(database.place('apps applications')).toBe(driver === 'postgres' ? 'service' : null);
    expect(await store.findByKey('shop-key')).toMatchObject({ policy: { limits: { max_connections: 7 } } });
    const mark = await store.changedSince?.(null, 9);
    await store.update(record('bakery', { enabled: false }));
    expect((await store.changedSince?.(mark?.mark ?? null, 9))?.appIds).toContain('bakery');
    const tables = appTables(driver, driver === 'postgres' ? postgres : mysql, 'applications');
    const runner = {
      query: async (sql: string) => (await database.query(sql)).rows,
    } as unknown as QueryRunner;
    for (const { migration: Migration } of tables.migrations.toReversed())
      await new Migration(database.place(tables.name)).down(runner);
    await database.close();
    expect((await (await started('applications')).store.list({ limit: 9, cursor: null })).apps).toEqual([]);
  });

  it('is made again when somebody dropped it', async () => {
    const { database, table } = await started();
    await database.query(`drop table ${at(table)}`);
    const { store } = await started(table);
    expect(await store.findById('a')).toBeNull();
  });

  it('tells what older readers look for, as far as a column holds it', async () => {
    const { store, database, table } = await started();
    const channels = { allowed_origins: ['*.example.com'] };
    const limits = { max_connections: 4_294_967_295, max_event_batch_size: 7 };
    await store.create(record('a', { enabled: false, policy: { limits, channels } }));
    const origins = driver === 'postgres' ? 'allowed_origins::text' : 'cast(allowed_origins as char)';
    const { rows } = await database.query(
      `select max_connections, max_event_batch_size, max_event_name_length, enable_user_authentication,
       ${origins} as origins from ${at(table)} where enabled = false`,
    );
    expect(rows).toEqual([
      {
        max_connections: 2_147_483_647,
        max_event_batch_size: 7,
        max_event_name_length: null,
        enable_user_authentication: null,
        origins: '["*.example.com"]',
      },
    ]);
  });

  it('is read by the columns of old where there is no policy', async () => {
    const { store, database, table } = await started();
    await database.query(
      `insert into ${at(table)} (id, ${q('key')}, secret, max_connections, max_event_batch_size,
       enable_client_messages, enable_watchlist_events, allowed_origins, webhooks)
       values ('a', 'a-key', 'a-secret', 5, 7, true, false, '["*.example.com"]',
       '[{"url":"https://h/","event_types":["cache_miss"]}]')`,
    );
    const flat = {
      max_connections: 5,
      max_event_batch_size: 7,
      enable_client_messages: true,
      enable_watchlist_events: false,
      allowed_origins: ['*.example.com'],
      webhooks: [{ url: 'https://h/', event_types: ['cache_miss'] }],
    };
    const found = await store.findById('a');
    if (found === null || found instanceof BrokenApp) throw new Error('not found');
    expect(serializeAppRecord(found)).toEqual(serializeAppRecord(record('a', flat)));
  });

  it.each([
    ['a policy that is no table', `'[1]'`, 'policy'],
    ['a limit that is none', `'{"limits":{"max_connections":-1}}'`, 'policy.limits.max_connections'],
    [
      'a pattern that does not compile',
      `'{"channels":{"channel_namespaces":[{"name":"n","channel_name_pattern":"("}]}}'`,
      'policy.channels.channel_namespaces[0].channel_name_pattern',
    ],
    ['a policy beyond all measure', 'huge', 'policy'],
  ])('may hold %s: that app is broken, the others are not', async (_, policy, path) => {
    const { store, database, table } = await started();
    await store.create(record('b'));
    const huge = `{"x":"${'x'.repeat(1_100_000)}"}`;
    const value = policy === 'huge' ? `'${huge}'` : policy;
    await database.query(
      `insert into ${at(table)} (id, ${q('key')}, secret, policy) values ('a', 'a-key', 'hush', cast(${value} as ${driver === 'postgres' ? json : 'char'}))`,
    );
    const found = await store.findByKey('a-key');
    expect(found).toBeInstanceOf(BrokenApp);
    expect(found).toMatchObject({ id: 'a', problems: [{ path }] });
    expect(JSON.stringify(found)).not.toMatch(/hush|a-key/);
    const { apps } = await store.list({ limit: 10, cursor: null });
    expect(apps.map((app) => app instanceof BrokenApp)).toEqual([true, false]);
    await store.update(record('a'));
    expect(await store.findById('a')).toMatchObject({ id: 'a', enabled: true });
  });

  it('holds half a megabyte of policy, and refuses more before it writes', async () => {
    const { store } = await started();
    const large = record('a', { policy: { future: 'ü'.repeat(250_000) } });
    await store.create(large);
    expect(await store.findById('a')).toMatchObject({ policy: { extra: { future: 'ü'.repeat(250_000) } } });
    const refused = store.create(record('b', { policy: { future: 'ü'.repeat(600_000) } }));
    await expect(refused).rejects.toBeInstanceOf(AppNotStorable);
    expect(await store.findById('b')).toBeNull();
  });

  it('lists more apps than fit a page of any size', async () => {
    const { store } = await started();
    for (let number = 0; number < 120; number++) await store.create(record(`app-${number}`));
    const one = await store.list({ limit: 119, cursor: null });
    const rest = await store.list({ limit: 119, cursor: one.next });
    expect([one.apps.length, rest.apps.length, rest.next]).toEqual([119, 1, null]);
  });

  it('knows when others wrote, also where they do not say so', async () => {
    const { store, database, table } = await started();
    for (const id of ['a', 'b', 'c']) await store.create(record(id));
    const old = driver === 'postgres' ? `now() - interval '1 hour'` : 'now() - interval 1 hour';
    if (driver === 'postgres') await database.query(`alter table ${at(table)} disable trigger user`);
    await database.query(`update ${at(table)} set updated_at = ${old}`);
    if (driver === 'postgres') await database.query(`alter table ${at(table)} enable trigger user`);
    const start = await store.changedSince?.(null, 10);
    await database.query(`update ${at(table)} set enabled = false where id = 'b'`);
    const changed = await store.changedSince?.(start?.mark ?? null, 10);
    expect(changed?.appIds).toEqual(['b']);
  });

  it('tells of changes page by page, each at least once', async () => {
    const { store } = await started();
    const start = await store.changedSince?.(null, 2);
    for (const id of ['a', 'b', 'c', 'd', 'e']) await store.create(record(id));
    const seen: string[] = [];
    let mark = start?.mark ?? null;
    for (;;) {
      const page = await store.changedSince?.(mark, 2);
      seen.push(...(page?.appIds ?? []));
      mark = page?.mark ?? null;
      if ((page?.appIds.length ?? 0) < 2) break;
    }
    expect(seen).toEqual(['a', 'b', 'c', 'd', 'e']);
    await expect(store.changedSince?.('["x"]', 2)).rejects.toThrow('not a mark');
  });
});
