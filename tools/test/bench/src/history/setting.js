// What the bench of durable channels runs on: a PostgreSQL of its own that keeps what it says it keeps, and the parts
// of one process over it.
import { randomUUID } from 'node:crypto';
import { CommitClient, LocalLanes, systemClock } from '@carillon/history-writer';
import { configure } from '@carillon/config';
import { Databases } from '@carillon/database';
import { engine } from '@carillon/test-backends';
import { historyTables, laneConnections, PostgresHistoryStore, SERVER_SPREAD } from '@carillon/history-store';
import { createParts, setV8Flags } from '@carillon/runtime';
import { BenchError } from '../../settings/bench-error.js';
import { postgresEnv } from '../../settings/process-env.js';

const NODE_ID = 'bench';

/** @param {import('@carillon/test-backends').EngineHandle} server */
function configured({ url }) {
  const outcome = configure({
    process: 'history-writer',
    argv: [],
    env: {
      ENVIRONMENT: 'test',
      RUST_LOG: 'off',
      HISTORY_ENABLED: 'true',
      ADAPTER_DRIVER: 'nats',
      CACHE_DRIVER: 'redis',
      ...postgresEnv(url),
    },
    cwd: '/nowhere',
    files: { exists: () => false, read: () => '' },
  });
  if (outcome.kind === 'exit') throw new BenchError(outcome.stderr);
  return outcome.config;
}

/** Nobody is told of a record: what handing over costs is for the scenarios with sockets. */
const nobody = async () => {};
const QUIET = {
  retried: () => {},
  recordFailed: () => {},
  committed: () => {},
  waited: () => {},
  arrived: () => {},
  answered: () => {},
  handedOver: () => {},
  resent: () => {},
  handOverFailed: () => {},
};

/** @typedef {Awaited<ReturnType<typeof openSetting>>} Setting */

export async function openSetting() {
  const server = await engine('postgres', { own: true, durable: true });
  const config = configured(server);
  // As in every process of the service.
  setV8Flags(config);
  const { table_prefix: prefix, write_timeout_ms: writeTimeoutMs } = config.history.postgres;
  const { writer_shards: lanes, writer_queue_capacity: queueCapacity } = config.history;
  const databases = new Databases(createParts(config));
  const database = databases.apart('postgres', {
    waiting: 1024,
    statementMs: writeTimeoutMs,
    // What is asked for here and there names no schema.
    setup: [...laneConnections(writeTimeoutMs), 'set search_path = service, public'],
    tables: [historyTables(prefix, SERVER_SPREAD)],
  });
  const reads = databases.apart('postgres', { connections: 16, waiting: 256, statementMs: writeTimeoutMs });
  const storeOver = (/** @type {import('@carillon/database').Database} */ readFrom) =>
    new PostgresHistoryStore(database, {
      prefix,
      spread: SERVER_SPREAD,
      now: Date.now,
      reads: readFrom,
    });
  const store = storeOver(reads);
  await store.connect();
  let batches = 0;
  const events = { ...QUIET, committed: () => void (batches += 1) };
  const transport = new LocalLanes(
    { store, clock: systemClock, newStreamId: randomUUID, fanOut: nobody, events },
    { lanes, nodeId: NODE_ID, writerId: NODE_ID, queueCapacity },
  );
  const client = new CommitClient(
    { clock: systemClock, transport, random: Math.random, resent: () => {} },
    { lanes, nodeId: NODE_ID, budgetMs: writeTimeoutMs, maxRecordBytes: null },
  );
  return {
    config,
    database,
    client,
    store,
    /** The connections of everything that only reads. */
    reads,
    /** The same store, with its reads going another way. */
    storeOver,
    /** The name of a table in a statement. */
    table: (/** @type {string} */ name) => `"${prefix}_${name}"`,
    /** Transactions of the lanes so far. */
    batches: () => batches,
    close: async () => {
      await transport.close();
      await Promise.all([database.close(), reads.close()]);
      await server.release();
    },
  };
}
