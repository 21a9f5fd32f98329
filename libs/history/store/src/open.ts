import { type Config, isProduction } from '@carillon/config';
import type { Databases } from '@carillon/database';
import { openRecords } from '@carillon/records';
import { explainMissingPackage, type Logger } from '@carillon/runtime';
import { MemoryHistoryStore } from './memory/memory-store.js';
import { MysqlHistoryStore, ONE_MOMENT } from './mysql/mysql-store.js';
import { mysqlTables } from './mysql/tables.js';
import type { DurableStore } from './port.js';
import { laneConnections } from './postgres/lane-connections.js';
import { PostgresHistoryStore } from './postgres/postgres-store.js';
import { SERVER_SPREAD, SINGLE_SPREAD } from './postgres/spread.js';
import { historyTables } from './postgres/tables.js';
import { MAX_PAYLOAD_BYTES, OpeningRecords } from './records/opening.js';
import { RecordHistoryStore } from './records/record-store.js';

/** A store with its life cycle in a process. */
export interface OpenStore {
  readonly store: DurableStore;
  /** Rejects when the store does not answer. */
  health(): Promise<void>;
  close(): Promise<void>;
}

export interface StoreParts {
  readonly config: Config;
  readonly databases: Databases;
  readonly log: Logger;
  readonly now: () => number;
}

type Open = (parts: StoreParts) => OpenStore;

/** Readers do not wait behind the lanes, nor the lanes behind them. */
const READS = { connections: 16, waiting: 256 } as const;
const LANES_WAITING = 1024;

/** One line a backend. */
const BACKENDS: ReadonlyMap<string, Open> = new Map<string, Open>([
  ['memory', openMemory],
  ['mysql', openMysql],
  ['dynamodb', (parts) => openRecordHistory('dynamodb', parts)],
  ['scylladb', (parts) => openRecordHistory('scylladb', parts)],
  ['surrealdb', (parts) => openRecordHistory('surrealdb', parts)],
  [
    'postgres',
    (parts) => (parts.config.database.postgres.embedded ? openEmbedded(parts) : openPostgres(parts)),
  ],
]);

/** Values of `history.backend` that this build can serve. */
export const HISTORY_BACKENDS: readonly string[] = [...BACKENDS.keys()];

/** The store of `history.backend`, not connected yet. */
export function openConfigured(parts: StoreParts): OpenStore {
  const { backend } = parts.config.history;
  const open = BACKENDS.get(backend);
  if (open === undefined) throw new Error(`history.backend ${backend} is not available in this build`);
  return open(parts);
}

export function openMemory(): OpenStore {
  return { store: new MemoryHistoryStore(), health: async () => {}, close: async () => {} };
}

function openPostgres({ config, databases, now, ...parts }: StoreParts): OpenStore {
  const { table_prefix: prefix, write_timeout_ms: writeTimeoutMs } = config.history.postgres;
  const lanes = databases.apart('postgres', {
    waiting: LANES_WAITING,
    statementMs: writeTimeoutMs,
    setup: laneConnections(writeTimeoutMs),
    tables: [historyTables(prefix, SERVER_SPREAD)],
  });
  const reads = databases.apart('postgres', { ...READS, statementMs: writeTimeoutMs });
  const store = new PostgresHistoryStore(lanes, {
    prefix,
    spread: SERVER_SPREAD,
    now,
    reads,
    onUnsafe: (settings) => unsafe(settings, isProduction(config), parts.log),
  });
  return {
    store,
    health: () => reads.health(),
    close: async () => void (await Promise.all([lanes.close(), reads.close()])),
  };
}

function openMysql({ config, databases, now, log }: StoreParts): OpenStore {
  const { table_prefix: prefix, write_timeout_ms: statementMs } = config.history.mysql;
  const lanes = databases.apart('mysql', {
    waiting: LANES_WAITING,
    statementMs,
    tables: [mysqlTables(prefix)],
  });
  const reads = databases.apart('mysql', { ...READS, statementMs, setup: ONE_MOMENT });
  const store = new MysqlHistoryStore(lanes, {
    prefix,
    now,
    reads,
    onUnsafe: (settings) => unsafe(settings, isProduction(config), log),
  });
  return {
    store,
    health: () => reads.health(),
    close: async () => void (await Promise.all([lanes.close(), reads.close()])),
  };
}

/** The longest delay of a timer. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;
/** A survey reads the heads of all streams. */
const SURVEY_EVERY_MS = 3_600_000;

function openRecordHistory(
  backend: 'dynamodb' | 'scylladb' | 'surrealdb',
  { config, now }: StoreParts,
): OpenStore {
  requireFittingPayloads(backend, config);
  const { table_prefix: prefix, write_timeout_ms: writeTimeoutMs } = config.history[backend];
  const timeoutMs = Math.min(writeTimeoutMs, LONGEST_TIMEOUT_MS);
  const records = new OpeningRecords(() =>
    openRecords(backend, { config, table: `${prefix}_records`, timeoutMs }).catch((error: unknown) => {
      throw explainMissingPackage(backend, error);
    }),
  );
  return {
    store: new RecordHistoryStore(records, { now, timeoutMs, surveyEveryMs: SURVEY_EVERY_MS }),
    health: () => records.health(),
    close: () => records.close(),
  };
}

/** Events of a larger size could be published, and could not be stored. */
function requireFittingPayloads(
  backend: string,
  { event_limits: { max_payload_in_kb: limit } }: Config,
): void {
  if (limit !== null && limit * 1024 > MAX_PAYLOAD_BYTES)
    throw new Error(
      `event_limits.max_payload_in_kb ${limit} exceeds what history.backend ${backend} can store; ` +
        `use at most ${Math.floor(MAX_PAYLOAD_BYTES / 1024)}`,
    );
}

/** The database may lose acknowledged commits. */
class UnsafeDatabase extends Error {
  override readonly name = 'UnsafeDatabase';
}

function unsafe(settings: readonly string[], refuse: boolean, log: Logger): void {
  const text = `the history database may lose committed records: ${settings.join(', ')}`;
  if (refuse) throw new UnsafeDatabase(text);
  log.warn(text);
}

function openEmbedded({ config, databases, now, log }: StoreParts): OpenStore {
  const { table_prefix: prefix, write_timeout_ms: writeTimeoutMs } = config.history.postgres;
  const database = databases.embedded({
    waiting: LANES_WAITING,
    statementMs: writeTimeoutMs,
    setup: laneConnections(writeTimeoutMs),
    tables: [historyTables(prefix, SINGLE_SPREAD)],
  });
  const reads = databases.embedded({
    waiting: READS.waiting,
    statementMs: writeTimeoutMs,
    isDeferrable: true,
  });
  const store = new PostgresHistoryStore(database, {
    prefix,
    spread: SINGLE_SPREAD,
    now,
    reads,
    vacuums: true,
    onUnsafe: () =>
      log.warn(
        'durable records are in the embedded PostgreSQL, which does not flush them to the disk: they survive a stop ' +
          'and a killed process, not a power loss or a crash of the system',
        { folder: config.database.postgres.embedded_path },
      ),
  });
  return {
    store,
    health: () => database.health(),
    close: async () => void (await Promise.all([reads.close(), database.close()])),
  };
}
