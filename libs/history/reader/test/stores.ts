import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configure } from '@carillon/config';
import { type Database, Databases, type SqlSession } from '@carillon/database';
import { engine } from '@carillon/test-backends';
import {
  type DurableStore,
  historyTables,
  laneConnections,
  MemoryHistoryStore,
  MysqlHistoryStore,
  mysqlTables,
  ONE_MOMENT,
  PostgresHistoryStore,
  RecordHistoryStore,
  SINGLE_SPREAD,
} from '@carillon/history-store';
import { MemoryRecords } from '@carillon/records';
import { createParts } from '@carillon/runtime';

export interface Opened {
  readonly store: DurableStore;
  /** Store of another process over the same database; null: none. */
  readonly beside: DurableStore | null;
  /** Number of blocks touched by reads since the last call; null: unknown for this store. */
  readonly blocks: () => number | null;
  /** Runs SQL behind the service; null: not possible. */
  readonly tamper: ((sql: string) => Promise<void>) | null;
  readonly close: () => Promise<void>;
}

const PREFIX = 'service_history';
const STATEMENT_MS = 5000;
const LANES = {
  waiting: 100,
  statementMs: STATEMENT_MS,
  // The tests name no schema in their statements.
  setup: [...laneConnections(STATEMENT_MS), 'set search_path = service, public'],
};

function databasesOf(env: Record<string, string>): Databases {
  const outcome = configure({
    process: 'server',
    argv: [],
    env: { RUST_LOG: 'off', ...env },
    cwd: '/nowhere',
    files: { exists: () => false, read: () => '' },
  });
  if (outcome.kind === 'exit') throw new Error(outcome.stderr);
  return new Databases(createParts(outcome.config));
}

function databasesAt(name: 'MYSQL' | 'POSTGRES', url: string): Databases {
  const { hostname, port, username, password, pathname } = new URL(url);
  return databasesOf({
    [`DATABASE_${name}_HOST`]: hostname,
    [`DATABASE_${name}_PORT`]: port,
    [`DATABASE_${name}_USERNAME`]: username,
    [`DATABASE_${name}_PASSWORD`]: password,
    [`DATABASE_${name}_DATABASE`]: pathname.slice(1),
  });
}

export const openMemory = async (): Promise<Opened> => ({
  store: new MemoryHistoryStore(),
  beside: null,
  blocks: () => null,
  tamper: null,
  close: async () => {},
});

export async function openRecords(): Promise<Opened> {
  const records = new MemoryRecords();
  const open = () =>
    new RecordHistoryStore(records, { now: Date.now, timeoutMs: STATEMENT_MS, surveyEveryMs: 0 });
  return { store: open(), beside: open(), blocks: () => null, tamper: null, close: async () => {} };
}

export async function openPostgres(): Promise<Opened> {
  const { url, end } = await (await engine('postgres')).isolate();
  const databases = databasesAt('POSTGRES', url);
  const spread = { records: 2, forever: 1, messages: 1 };
  const database = databases.apart('postgres', { ...LANES, tables: [historyTables(PREFIX, spread)] });
  const reads = databases.apart('postgres', { connections: 2, waiting: 9, statementMs: STATEMENT_MS });
  const watched = watching(reads);
  const options = { prefix: PREFIX, spread, now: Date.now, reads: watched.database };
  const store = new PostgresHistoryStore(database, options);
  await store.connect();
  return {
    store,
    beside: new PostgresHistoryStore(database, options),
    blocks: watched.blocks,
    tamper: async (sql) => void (await database.query(sql)),
    close: async () => {
      await Promise.all([database.close(), reads.close()]);
      await end();
    },
  };
}

export async function openMysql(): Promise<Opened> {
  const { url, end } = await (await engine('mariadb')).isolate();
  const databases = databasesAt('MYSQL', url);
  const database = databases.use('mysql', [mysqlTables(PREFIX)]);
  const reads = databases.apart('mysql', { waiting: 9, statementMs: STATEMENT_MS, setup: ONE_MOMENT });
  const options = { prefix: PREFIX, now: Date.now, reads };
  const store = new MysqlHistoryStore(database, options);
  await store.connect();
  return {
    store,
    beside: new MysqlHistoryStore(database, options),
    blocks: () => null,
    tamper: async (sql) => void (await database.query(sql)),
    close: async () => {
      await Promise.all([database.close(), reads.close()]);
      await end();
    },
  };
}

export async function openEmbedded(): Promise<Opened> {
  const folder = await mkdtemp(join(tmpdir(), 'walks-test-'));
  const database = databasesOf({ DATABASE_POSTGRES_EMBEDDED_PATH: folder }).embedded({
    ...LANES,
    tables: [historyTables(PREFIX, SINGLE_SPREAD)],
  });
  const store = new PostgresHistoryStore(database, {
    prefix: PREFIX,
    spread: SINGLE_SPREAD,
    now: Date.now,
    vacuums: true,
  });
  await store.connect();
  return {
    store,
    beside: null,
    blocks: () => null,
    tamper: async (sql) => void (await database.query(sql)),
    close: async () => {
      await database.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** Explains every read before it runs. */
function watching(reads: Database): { readonly database: Database; readonly blocks: () => number } {
  let touched = 0;
  const over = (session: SqlSession): SqlSession => ({
    query: async (sql, values, how) => {
      const { rows } = await session.query(`explain (analyze, buffers, format json) ${sql}`, values);
      const plans = rows[0]?.['QUERY PLAN'] as
        | readonly { readonly Plan: Readonly<Record<string, number>> }[]
        | undefined;
      const top = plans?.[0];
      touched += (top?.Plan['Shared Hit Blocks'] ?? 0) + (top?.Plan['Shared Read Blocks'] ?? 0);
      return session.query(sql, values, how);
    },
  });
  return {
    database: {
      dialect: reads.dialect,
      connect: () => reads.connect(),
      health: () => reads.health(),
      close: () => reads.close(),
      place: (name) => reads.place(name),
      entities: (work) => reads.entities(work),
      transaction: (work, setup) =>
        reads.transaction((session) => work({ ...over(session), last: () => session.last() }), setup),
      ...over(reads),
    },
    blocks: () => {
      const since = touched;
      touched = 0;
      return since;
    },
  };
}
