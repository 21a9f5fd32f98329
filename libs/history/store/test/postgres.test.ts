import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PostgresHistoryStore, SERVER_SPREAD, streamName } from '../src/index.js';
import { conformance } from './conformance.js';
import { conformanceOfTwoWriters } from './conformance-two-writers.js';
import {
  addressOf,
  append,
  corner,
  databaseAt,
  headOf,
  messageIn,
  NOTHING,
  NOW_MS,
  openPostgres,
  type OpenedPostgres,
  after,
  recordAt,
  streamIn,
  wantedOf,
} from './scene.js';

conformance('postgres', async () => {
  const { url, end } = await corner();
  const opened = await openPostgres(url);
  return {
    store: opened.store,
    close: async () => {
      await opened.close();
      await end();
    },
  };
});

/** Row types of the fifth version. */
const NEW_ROW_TYPES = /_row_5|(?:message|annotation|summary)_row/;

describe('postgres', () => {
  let url: string;
  let end: () => Promise<void>;
  let one: OpenedPostgres;
  let other: OpenedPostgres;
  beforeAll(async () => {
    ({ url, end } = await corner());
    [one, other] = await Promise.all([openPostgres(url), openPostgres(url)]);
  });
  afterAll(async () => {
    await Promise.all([one.close(), other.close()]);
    await end();
  });

  it('makes every table with the longest prefix and the full spread', async () => {
    const prefix = 'p'.repeat(41);
    const wide = await openPostgres(url, prefix, SERVER_SPREAD);
    await append(wide.store, addressOf('a'), [{}, { keepUntilMs: Number.MAX_SAFE_INTEGER }]);
    const count = async (table: string) =>
      Number(
        (
          await wide.database.query('select count(*) as n from pg_partition_tree($1) where isleaf', [
            `${prefix}_${table}`,
          ])
        ).rows[0]?.['n'],
      );
    expect(await count('records')).toBe(8 + 16);
    expect(await count('messages')).toBe(8);
    expect(await count('receipts')).toBe(1);
    const { rows } = await wide.database.query(
      `select count(*)::int as n from pg_class where relname like $1 and relkind in ('r', 'p')`,
      [`${prefix}_%`],
    );
    expect(rows[0]?.['n']).toBeLessThan(80);
    await wide.close();
  });

  it('goes on with tables that were spread more widely', async () => {
    const before = await openPostgres(url, 'wider', { records: 16, forever: 64, messages: 64 });
    await append(before.store, addressOf('kept'), [{}, { keepUntilMs: Number.MAX_SAFE_INTEGER }]);
    await before.close();
    const now = await openPostgres(url, 'wider', SERVER_SPREAD);
    await append(now.store, addressOf('kept'), [
      {},
      { keepUntilMs: Number.MAX_SAFE_INTEGER },
      { keepUntilMs: NOW_MS + 40 * 86_400_000 },
    ]);
    const { streamKey, generation } = await headOf(now.store, addressOf('kept'));
    const range = { streamKey, generation, fromSerial: 1, toSerial: 9, limit: 9 };
    expect((await now.store.range(range)).map(({ deliverySerial }) => deliverySerial)).toEqual([
      1, 2, 3, 4, 5,
    ]);
    const parts = await now.database.query(
      `select count(*)::int as n from pg_partition_tree('wider_messages') where isleaf`,
    );
    expect(parts.rows[0]?.['n']).toBe(64);
    await now.close();
  });

  it('refuses tables of a newer version', async () => {
    const newer = await openPostgres(url, 'newer');
    await newer.database.query(`update newer_meta set value = '6' where key = 'schema_version'`);
    await newer.database.query(`delete from service_migrations where name like 'history newer %'`);
    await newer.close();
    await expect(openPostgres(url, 'newer')).rejects.toThrow('version 6');
  });

  it.each([1, 2, 3, 4])('brings tables of version %i up to date, once', async (version) => {
    const prefix = `old${version}`;
    const old = await openPostgres(url, prefix);
    if (version < 2)
      await old.database.query(`drop index ${prefix}_presence_members_stream_key_generation_idx`);
    if (version < 3) await old.database.query(`drop index ${prefix}_streams_stream_key_idx`);
    const types = await rowTypesOf(old, prefix);
    for (const name of types.filter((one) => version < 4 || NEW_ROW_TYPES.test(one)))
      await old.database.query(`drop type ${name}`);
    await old.database.query(`drop index ${prefix}_annotations_stream_key_target_no_idx`);
    await old.database.query(`alter table ${prefix}_streams drop column floor_message_serial`);
    await old.database.query(`alter table ${prefix}_annotation_summaries drop column since`);
    await old.database.query(`drop type if exists ${prefix}_summary_row_6`);
    await old.database.query(`create index on ${prefix}_messages (last_activity_ms) where is_open`);
    await old.database.query(`update ${prefix}_meta set value = '${version}' where key = 'schema_version'`);
    await old.database.query(`delete from service_migrations where name like 'history ${prefix} %'`);
    await old.close();
    await (await openPostgres(url, prefix)).close();
    const now = await openPostgres(url, prefix);
    const { rows } = await now.database.query(
      `select (select value from ${prefix}_meta where key = 'schema_version') as version,
        (select count(*) from pg_indexes where tablename = '${prefix}_presence_members') as members,
        (select count(*) from pg_indexes where tablename = '${prefix}_streams') as streams`,
    );
    const [{ version: stored, members, streams } = {}] = rows;
    expect([stored, Number(members), Number(streams)]).toEqual(['5', 2, 4]);
    await append(now.store, addressOf('a'), [{}]);
    await now.close();
  });

  it('reads over the lanes what it is asked for over them, whatever became of the others', async () => {
    const elsewhere = databaseAt(url, 'service_history', SERVER_SPREAD);
    const options = { prefix: 'service_history', spread: SERVER_SPREAD, now: () => NOW_MS, reads: elsewhere };
    const store = new PostgresHistoryStore(one.database, options);
    await store.connect();
    const [record] = await append(store, addressOf('over-lanes'), [{}]);
    const { streamKey = '', generation = 0 } = record ?? {};
    const query = { streamKey, generation, fromSerial: 1, toSerial: 1, limit: 1 };
    expect(await store.range(query)).toHaveLength(1);
    await elsewhere.close();
    await expect(store.range(query)).rejects.toMatchObject({ reason: 'connection' });
    expect(await store.range({ ...query, overLanes: true })).toHaveLength(1);
  });

  it('looks at the degraded streams only when it is asked for them, and updates the others in place', async () => {
    const many = await openPostgres(url, 'many');
    await many.database.query(
      `insert into many_streams (app_id, channel, kind, route, stream_id, updated_at_ms)
        select 'shop', 'c-' || i, 1, 0, gen_random_uuid(), 0 from generate_series(1, 3000) i`,
    );
    await many.database.query(`update many_streams set durable_state = 1 where channel in ('c-7', 'c-2999')`);
    const touched = async () => {
      await many.database.query('select pg_stat_force_next_flush()');
      const { rows } = await many.database.query(
        `select seq_tup_read, n_tup_hot_upd,
          (select idx_tup_read from pg_stat_user_indexes where indexrelname = 'many_streams_pkey') as by_key
          from pg_stat_user_tables where relname = 'many_streams'`,
      );
      return rows[0] ?? {};
    };
    const before = await touched();
    expect(await many.store.degraded({ after: null, limit: 10 })).toMatchObject([
      { address: { channel: 'c-7' } },
      { address: { channel: 'c-2999' } },
    ]);
    expect(await touched()).toEqual(before);
    await append(many.store, addressOf('c-9'), [{}]);
    await append(many.store, addressOf('c-7'), [{}]);
    expect(Number((await touched())['n_tup_hot_upd']) - Number(before['n_tup_hot_upd'])).toBe(2);
    await many.close();
  });

  it('updates messages in place that others go on with, and finds those that nobody does', async () => {
    const living = await openPostgres(url, 'living');
    const address = addressOf('living');
    for (const [turn, versionSerial] of ['v1', 'v2', 'v3'].entries())
      await living.store.commit(wantedOf([address]), (found) => {
        const stream = found.streams.get(streamName(address));
        if (!stream) throw new Error('it is made by the commit');
        const record = recordAt(stream, { messageSerial: 'm', versionSerial, action: 'append' });
        const message = messageIn(stream, { historySerial: 1, versionSerial, isOpen: true, atMs: turn });
        return {
          changes: {
            ...NOTHING,
            streams: [after(stream, record)],
            records: [record],
            messages: { states: [message], annotations: [], summaries: [] },
          },
        };
      });
    await living.database.query('select pg_stat_force_next_flush()');
    const { rows } = await living.database.query(
      `select sum(n_tup_upd) as updated, sum(n_tup_hot_upd) as in_place from pg_stat_user_tables
        where relname ~ '^living_messages_\\d+$'`,
    );
    expect([Number(rows[0]?.['updated']), Number(rows[0]?.['in_place'])]).toEqual([2, 2]);
    const idle = { lane: 0, lanes: 1, limit: 10 };
    expect(await living.store.idleStreams({ ...idle, idleSinceMs: 1 })).toEqual([]);
    expect(await living.store.idleStreams({ ...idle, idleSinceMs: 2 })).toMatchObject([
      { address: { channel: 'living' }, message: { versionSerial: 'v3' } },
    ]);
    await living.close();
  });

  it('compares names byte by byte, and takes no prefix that is not one', async () => {
    await append(one.store, addressOf('a'), [{}]);
    await append(one.store, addressOf('A'), [{}]);
    await append(one.store, addressOf('a '), [{}]);
    expect((await one.store.heads(['a', 'A', 'a '].map((name) => addressOf(name)))).size).toBe(3);
    await expect(openPostgres(url, 'a"; drop table x; --')).rejects.toThrow('prefix');
  });

  it('leaves out a stream that somebody else holds, and serves the others', async () => {
    const [held, free] = [addressOf('held'), addressOf('free')];
    await append(one.store, held, [{}]);
    await other.database.transaction(async (session) => {
      await session.query(`select 1 from service_history_streams where channel = 'held' for update`);
      await one.store.commit(wantedOf([held, free]), (found) => {
        expect(found.streams.has(streamName(held))).toBe(false);
        expect(found.streams.get(streamName(free))).toMatchObject({ nextDeliverySerial: 1 });
        return { changes: NOTHING };
      });
    });
  });

  conformanceOfTwoWriters(() => [one.store, other.store]);

  it('aborts a batch of which a row was not written', async () => {
    const address = addressOf('swallowed');
    await append(one.store, address, [{}]);
    await one.database.query(
      `create function swallow() returns trigger language plpgsql as
        $$ begin if new.message_id = 'swallow' then return null; end if; return new; end $$`,
    );
    const { rows } = await one.database.query(
      `select relid::regclass::text as name from pg_partition_tree('service_history_records') where isleaf`,
    );
    for (const row of rows)
      await one.database.query(
        `create trigger swallowing before insert on ${String(row['name'])} for each row execute function swallow()`,
      );
    await expect(append(one.store, address, [{}, { messageId: 'swallow' }])).rejects.toMatchObject({
      name: 'StoreFailure',
      reason: 'conflict',
    });
    expect(await headOf(one.store, address)).toMatchObject({ nextDeliverySerial: 2 });
  });

  it('tells a value that does not fit from a database that does not answer', async () => {
    const address = addressOf('unfit');
    await expect(append(one.store, address, [{ eventName: 'a\0b' }])).rejects.toMatchObject({
      reason: 'data',
    });
    const gone = await openPostgres(url);
    await gone.close();
    await expect(append(gone.store, address, [{}])).rejects.toMatchObject({
      reason: 'connection',
      transient: true,
    });
  });

  it('goes on when a part of a table was dropped behind its back', async () => {
    const address = addressOf('dropped');
    const keepUntilMs = Date.parse('2027-07-07');
    await append(one.store, address, [{ keepUntilMs }]);
    await one.database.query('drop table service_history_records_20270707');
    await expect(append(one.store, address, [{ keepUntilMs }])).rejects.toMatchObject({ reason: 'conflict' });
    await append(one.store, address, [{ keepUntilMs }]);
  });

  it('looks through the rows of a stream', async () => {
    const address = addressOf('inspected');
    await append(one.store, address, [{}, {}, {}, {}]);
    const inspect = async () => {
      const { streamKey } = await headOf(one.store, address);
      let seen: unknown;
      await one.store.commit(wantedOf([address], { inspect: true }), (found) => {
        streamIn(found, address);
        seen = found.inspections.get(streamName(address));
        return { changes: NOTHING };
      });
      return { streamKey, seen };
    };
    const { streamKey, seen } = await inspect();
    expect(seen).toEqual({ gap: false, conflict: false, unreadable: false });
    const change = (sql: string) =>
      one.database.query(`update service_history_records set ${sql} and stream_key = $1`, [streamKey]);
    await change(`payload = '\\x7b' where delivery_serial = 2`);
    expect((await inspect()).seen).toMatchObject({ gap: false, unreadable: true });
    await change(`history_serial = 4 where delivery_serial = 3`);
    expect((await inspect()).seen).toMatchObject({ gap: true, conflict: true });
  });
});

/** Returns the row types that a batch uses. */
async function rowTypesOf({ database }: OpenedPostgres, prefix: string): Promise<string[]> {
  const { rows } = await database.query(
    `select t.typname from pg_type t join pg_class c on c.oid = t.typrelid
      where c.relkind = 'c' and t.typname like $1 order by 1`,
    [`${prefix}\\_%`],
  );
  expect(rows).toHaveLength(10);
  return rows.map((row) => String(row['typname']));
}
