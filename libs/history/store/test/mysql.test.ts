import type { Database, SqlSession } from '@carillon/database';
import { engine } from '@carillon/test-backends';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MysqlHistoryStore, mysqlTables, ONE_MOMENT, streamName } from '../src/index.js';
import { conformance } from './conformance.js';
import { purgeAll } from './conformance-purge.js';
import { conformanceOfTwoWriters } from './conformance-two-writers.js';
import {
  addressOf,
  after,
  append,
  databasesOf,
  DAY_MS,
  headOf,
  messageIn,
  NOTHING,
  NOW_MS,
  type Opened,
  recordAt,
  settings,
  streamIn,
  wantedOf,
} from './scene.js';

/** A store as one process has it. */
async function openMysql(url: string, prefix = 'service_history'): Promise<OpenedMysql> {
  const databases = databasesOf(settings('mysql', url));
  const database = databases.use('mysql', [mysqlTables(prefix)]);
  const reads = databases.apart('mysql', { waiting: 100, statementMs: 5000, setup: ONE_MOMENT });
  const store = new MysqlHistoryStore(database, { prefix, now: () => NOW_MS, reads });
  await store.connect();
  return {
    store,
    database,
    reads,
    close: async () => void (await Promise.all([database.close(), reads.close()])),
  };
}

interface OpenedMysql extends Opened {
  readonly database: Database;
  readonly reads: Database;
}

/** A database whose first statement is followed by something else. */
function interrupted(database: Database, act: () => Promise<unknown>): Database {
  let statements = 0;
  const over = (session: SqlSession): SqlSession => ({
    query: async (...asked) => {
      const answer = await session.query(...asked);
      statements += 1;
      if (statements === 1) await act();
      return answer;
    },
  });
  return {
    dialect: database.dialect,
    connect: () => database.connect(),
    health: () => database.health(),
    close: () => database.close(),
    place: (name) => database.place(name),
    entities: (work) => database.entities(work),
    transaction: (work, setup) =>
      database.transaction((session) => work({ ...over(session), last: () => session.last() }), setup),
    ...over(database),
  };
}

conformance('mysql', async () => {
  const { url, end } = await (await engine('mariadb')).isolate();
  const opened = await openMysql(url);
  return {
    store: opened.store,
    close: async () => {
      await opened.close();
      await end();
    },
  };
});

describe('mysql', () => {
  let end: () => Promise<void>;
  let url: string;
  let one: OpenedMysql;
  let other: OpenedMysql;
  beforeAll(async () => {
    ({ url, end } = await (await engine('mariadb')).isolate());
    [one, other] = await Promise.all([openMysql(url), openMysql(url)]);
  });
  afterAll(async () => {
    await Promise.all([one.close(), other.close()]);
    await end();
  });

  const storeOver = (reads: Database, onUnsafe?: (settings: readonly string[]) => void) =>
    new MysqlHistoryStore(one.database, {
      prefix: 'service_history',
      now: () => NOW_MS,
      reads,
      ...(onUnsafe === undefined ? {} : { onUnsafe }),
    });

  it('refuses tables of a newer version', async () => {
    const newer = await openMysql(url, 'newer');
    await newer.database.query(`update newer_meta set value = '6' where name = 'schema_version'`);
    await newer.database.query(`delete from service_migrations where name like 'history newer %'`);
    await newer.close();
    await expect(openMysql(url, 'newer')).rejects.toThrow('version 6');
  });

  it.each([
    ['of the first version', { version: 1, members: true, streams: true }],
    ['half brought to the second', { version: 1, members: false, streams: true }],
    ['of the second version', { version: 2, members: false, streams: true }],
    ['all but marked as of the third', { version: 2, members: false, streams: false }],
    ['of the third version', { version: 3, members: false, streams: false }],
    ['half brought to the fifth', { version: 4, members: false, streams: false }],
  ])('brings tables up to date that are %s', async (_which, { version, members, streams }) => {
    const prefix = `old${version}${members ? 'm' : ''}${streams ? 's' : ''}`;
    const old = await openMysql(url, prefix);
    if (version === 1) await old.database.query(`drop table ${prefix}_presence_checkpoints`);
    if (members) await old.database.query(`alter table ${prefix}_presence_members drop key there`);
    if (streams) await old.database.query(`alter table ${prefix}_streams drop key state`);
    for (const name of ['messages', 'annotations', 'annotation_summaries'])
      await old.database.query(`drop table ${prefix}_${name}`);
    await old.database.query(`alter table ${prefix}_records drop key operations, drop column op_hash`);
    await old.database.query(`alter table ${prefix}_streams drop column floor_message_serial`);
    await old.database.query(`update ${prefix}_meta set value = '${version}' where name = 'schema_version'`);
    await old.database.query(`delete from service_migrations where name like 'history ${prefix} %'`);
    await old.close();
    await (await openMysql(url, prefix)).close();
    const now = await openMysql(url, prefix);
    const address = addressOf('a', 'presence');
    await now.store.commit(wantedOf([address], { crowds: [{ address, events: 1000 }] }), (found) => {
      expect(found.crowds.get(streamName(address))).toEqual([]);
      return { changes: NOTHING };
    });
    const { rows } = await now.database.query(
      `select cast(value as char) as value from ${prefix}_meta where name = 'schema_version'`,
    );
    expect(rows).toMatchObject([{ value: '5' }]);
    expect(await now.store.degraded({ after: null, limit: 1 })).toEqual([]);
    await now.close();
  });

  it('reads over the lanes what it is asked for over them, whatever became of the others', async () => {
    const reads = databasesOf(settings('mysql', url)).use('mysql', [mysqlTables('service_history')]);
    const store = storeOver(reads);
    await store.connect();
    const [record] = await append(store, addressOf('over-lanes'), [{}]);
    const { streamKey = '', generation = 0 } = record ?? {};
    const query = { streamKey, generation, fromSerial: 1, toSerial: 1, limit: 1 };
    expect(await store.range(query)).toHaveLength(1);
    await reads.close();
    await expect(store.range(query)).rejects.toMatchObject({ reason: 'connection' });
    expect(await store.range({ ...query, overLanes: true })).toHaveLength(1);
  });

  it('reads a message as it is at one moment, whatever goes while it is read', async () => {
    const address = addressOf('one-moment');
    await append(one.store, address, [{ messageSerial: 'm', versionSerial: 'v1', action: 'create' }]);
    const stream = await headOf(one.store, address);
    const fragment = recordAt(stream, {
      messageSerial: 'm',
      versionSerial: 'v2',
      action: 'append',
      historySerial: null,
      payload: '{"data":"b"}',
    });
    const message = messageIn(stream, { versionSerial: 'v2', historySerial: 1, baseSerial: 1 });
    await one.store.commit(wantedOf([address]), () => ({
      changes: {
        ...NOTHING,
        streams: [after(stream, fragment)],
        records: [fragment],
        messages: { states: [message], annotations: [], summaries: [] },
      },
    }));
    const table = 'service_history_records';
    const store = storeOver(
      interrupted(one.reads, () => one.database.query(`delete from ${table} where version_serial = 'v2'`)),
    );
    const query = { ...stream, nowMs: NOW_MS, messageSerials: ['m'] };
    expect(await store.messages(query)).toMatchObject([{ data: { text: '"ab"' } }]);
  });

  it('compares names byte by byte', async () => {
    for (const name of ['a', 'A', 'a ']) await append(one.store, addressOf(name), [{}]);
    expect((await one.store.heads(['a', 'A', 'a '].map((name) => addressOf(name)))).size).toBe(3);
  });

  it('leaves out a stream that somebody else holds, and serves the others', async () => {
    const [held, free] = [addressOf('held'), addressOf('free')];
    await append(one.store, held, [{}]);
    await append(one.store, free, [{}]);
    await other.database.transaction(async (session) => {
      await session.query(
        `select 1 from service_history_streams where app_id = 'shop' and channel = 'held' and kind = 1 for update`,
      );
      await one.store.commit(wantedOf([held, free]), (found) => {
        expect(found.streams.has(streamName(held))).toBe(false);
        expect(found.streams.get(streamName(free))).toMatchObject({ nextDeliverySerial: 2 });
        return { changes: NOTHING };
      });
    });
  });

  conformanceOfTwoWriters(() => [one.store, other.store]);

  it('makes parts for the days to come and drops those that are over', async () => {
    const partsOf = async () => {
      const { rows } = await one.database.query(
        `select partition_name as name from information_schema.partitions where table_schema = database()
          and table_name = 'service_history_records' order by partition_ordinal_position`,
      );
      return rows.map((row) => String(row['name']));
    };
    await purgeAll(one.store, NOW_MS);
    expect(await partsOf()).toEqual(['d20260305', 'd20260306', 'd20260307', 'd20260308', 'rest', 'forever']);
    await append(one.store, addressOf('parts'), [{}, { keepUntilMs: Number.MAX_SAFE_INTEGER }]);
    await purgeAll(one.store, NOW_MS + 2 * DAY_MS);
    expect(await partsOf()).toEqual(['d20260307', 'd20260308', 'd20260309', 'd20260310', 'rest', 'forever']);
    expect(await headOf(one.store, addressOf('parts'))).toMatchObject({ floorHistorySerial: 2 });
  });

  it('erases what an operator took away, and keeps its numbers', async () => {
    const address = addressOf('erased');
    const keep = { keepUntilMs: NOW_MS + 90 * DAY_MS };
    await append(one.store, address, [keep, keep, keep]);
    await one.store.commit(wantedOf([address]), (found) => ({
      changes: {
        ...NOTHING,
        streams: [{ ...streamIn(found, address), floorHistorySerial: 3 }],
        operatorLog: [
          {
            atMs: NOW_MS,
            appId: 'shop',
            channel: 'erased',
            operation: 'purge',
            reason: 'r',
            requestedBy: null,
            result: '{}',
          },
        ],
      },
    }));
    await purgeAll(one.store, NOW_MS + 2 * DAY_MS, 1);
    const { streamKey } = await headOf(one.store, address);
    const { rows } = await one.database.query(
      `select payload is null as erased from service_history_records where stream_key = ? order by delivery_serial`,
      [streamKey],
    );
    expect(rows.map((row) => Number(row['erased']))).toEqual([1, 1, 0]);
    const cursors = await one.database.query(
      `select name from service_history_meta where name like 'erased_records:%'`,
      [],
    );
    expect(cursors.rows).toEqual([]);
  });

  it('is told of a server that may lose what it has committed', async () => {
    await one.database.query('set global innodb_flush_log_at_trx_commit = 2');
    const told: string[] = [];
    const onUnsafe = (settings: readonly string[]) => told.push(...settings);
    await storeOver(one.reads, onUnsafe).connect();
    await one.database.query('set global innodb_flush_log_at_trx_commit = 1');
    await storeOver(one.reads, onUnsafe).connect();
    expect(told).toEqual(['innodb_flush_log_at_trx_commit is 2']);
  });
});
