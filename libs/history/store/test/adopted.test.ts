import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, type QueryRunner, type Tables } from '@carillon/database';
import { engine } from '@carillon/test-backends';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type DurableStore,
  historyTables,
  laneConnections,
  MysqlHistoryStore,
  mysqlTables,
  PostgresHistoryStore,
  SINGLE_SPREAD,
} from '../src/index.js';
import { addressOf, append, databasesOf, headOf, NOW_MS, settings } from './scene.js';

const PREFIX = 'service_history';
const LIMITS = { waiting: 100, statementMs: 2000 };

/** One kind of database, as several processes open it. */
interface Kind {
  readonly name: string;
  readonly tables: Tables;
  /** Schema of the tables once no other process uses them. */
  readonly home: string | null;
  readonly dump: string;
  begin(): Promise<{ open(tables: readonly Tables[]): Database; end(): Promise<void> }>;
  store(database: Database): DurableStore;
}

const postgresStore = (database: Database): DurableStore =>
  new PostgresHistoryStore(database, { prefix: PREFIX, spread: SINGLE_SPREAD, now: () => NOW_MS });

const KINDS: readonly Kind[] = [
  {
    name: 'PostgreSQL',
    tables: historyTables(PREFIX, SINGLE_SPREAD),
    home: 'service',
    dump: 'postgres.sql',
    async begin() {
      const { url, end } = await (await engine('postgres')).isolate();
      const open = (tables: readonly Tables[]) =>
        databasesOf(settings('postgres', url)).apart('postgres', {
          ...LIMITS,
          setup: laneConnections(LIMITS.statementMs),
          tables,
        });
      return { open, end };
    },
    store: postgresStore,
  },
  {
    name: 'the embedded database',
    tables: historyTables(PREFIX, SINGLE_SPREAD),
    home: null,
    dump: 'postgres.sql',
    async begin() {
      const folder = await mkdtemp(join(tmpdir(), 'adopted-test-'));
      const databases = databasesOf({ DATABASE_POSTGRES_EMBEDDED_PATH: folder });
      const open = (tables: readonly Tables[]) => databases.embedded({ ...LIMITS, tables });
      return { open, end: () => rm(folder, { recursive: true }) };
    },
    store: postgresStore,
  },
  {
    name: 'MariaDB',
    tables: mysqlTables(PREFIX),
    home: null,
    dump: 'mysql.sql',
    async begin() {
      const { url, end } = await (await engine('mariadb')).isolate();
      const open = (tables: readonly Tables[]) =>
        databasesOf(settings('mysql', url)).apart('mysql', { ...LIMITS, tables });
      return { open, end };
    },
    store: (database) =>
      new MysqlHistoryStore(database, { prefix: PREFIX, now: () => NOW_MS, reads: database }),
  },
];

/** Tables with rows as they were before migrations were recorded, made by the program of that time. */
async function fill(database: Database, dump: string): Promise<void> {
  const text = await readFile(new URL(`../../test/fixtures/${dump}`, import.meta.url), 'utf8');
  for (const statement of text.trim().split('\n')) await database.query(statement.replace(/;$/, ''));
}

describe.each(KINDS)('the tables of before in $name', (kind) => {
  let place: Awaited<ReturnType<Kind['begin']>>;
  let database: Database;
  let store: DurableStore;
  const connected = async (tables: readonly Tables[]): Promise<Database> => {
    const opened = place.open(tables);
    await opened.connect();
    return opened;
  };
  beforeAll(async () => {
    place = await kind.begin();
    const before = await connected([]);
    await fill(before, kind.dump);
    if (kind.home !== null) {
      // Another process still uses them, so they are not moved.
      const beside = await connected([kind.tables]);
      expect(beside.place(kind.tables.name)).toBeNull();
      await append(kind.store(beside), addressOf('beside'), [{}]);
      await beside.close();
    }
    await before.close();
    database = await connected([kind.tables]);
    store = kind.store(database);
    await store.connect();
  });
  afterAll(async () => {
    await database.close();
    await place.end();
  });

  it('are found, with all that is in them', async () => {
    expect(database.place(kind.tables.name)).toBe(kind.home);
    const orders = await headOf(store, addressOf('orders'));
    expect(orders).toMatchObject({ nextDeliverySerial: 4, retainedMessages: 3 });
    const range = { streamKey: orders.streamKey, generation: 1, fromSerial: 1, toSerial: 9, limit: 9 };
    expect((await store.range(range)).map(({ messageId }) => messageId)).toEqual(['m-1', 'm-2', 'm-3']);
    const chat = await headOf(store, addressOf('chat'));
    const of = { ...chat, nowMs: NOW_MS, messageSerials: ['s-1'] };
    expect(await store.messages(of)).toMatchObject([{ messageSerial: 's-1', name: 'line', creatorId: 'u1' }]);
    expect(await store.membersThere({ after: null, limit: 9 })).toMatchObject([
      { channel: 'presence-room', userId: 'u1' },
    ]);
    expect(await store.agreedLanes()).toBe(16);
  });

  it('are gone on with, in parts that are there and in new ones', async () => {
    const written = await append(store, addressOf('orders'), [{}, { keepUntilMs: NOW_MS + 9 * 86_400_000 }]);
    expect(written.map(({ deliverySerial }) => deliverySerial)).toEqual([4, 5]);
    const [receipt] = await commitAgain(store);
    expect(receipt).toMatchObject({ deliverySerial: 1, pubId: '11111111-2222-4333-8444-555555555555' });
    expect(
      await store.purge({ nowMs: NOW_MS, batch: 9, receiptsKeptMs: 600_000, windowMs: 86_400_000 }),
    ).not.toBeNull();
  });

  it('go with the step that made them, and come again with it', async () => {
    const runner = {
      query: async (...asked: Parameters<typeof database.query>) => (await database.query(...asked)).rows,
    } as unknown as QueryRunner;
    for (const { migration: Migration } of kind.tables.migrations.toReversed())
      await new Migration(database.place(kind.tables.name)).down(runner);
    const listed = await database.query(
      `select table_name as name from information_schema.tables where table_name like '${PREFIX}\\_%'`,
    );
    expect(listed.rows).toEqual([]);
    await database.close();
    database = await connected([kind.tables]);
    await append(kind.store(database), addressOf('anew'), [{}]);
  });
});

/** Repeats a publish whose receipt an older version wrote. */
async function commitAgain(store: DurableStore) {
  const scope = '11111111-2222-4333-8444-555555555555';
  const { found } = await store.commit(
    {
      nowMs: NOW_MS,
      streams: [{ address: addressOf('chat'), create: true }],
      receipts: { scopes: [scope], sinceMs: NOW_MS - 600_000 },
      members: [],
      crowds: [],
      below: null,
      inspect: false,
    },
    ({ receipts }) => ({
      found: [...receipts.values()],
      changes: {
        streams: [],
        records: [],
        receipts: [],
        presenceEvents: [],
        presenceMembers: [],
        presenceCheckpoints: [],
        operatorLog: [],
      },
    }),
  );
  return found;
}
