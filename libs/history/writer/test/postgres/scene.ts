import { randomUUID } from 'node:crypto';
import { configure } from '@carillon/config';
import type { CommitBody, FanOutRecordBody } from '@carillon/contracts';
import { type Database, Databases } from '@carillon/database';
import { historyTables, laneConnections, PostgresHistoryStore, SINGLE_SPREAD } from '@carillon/history-store';
import { createParts } from '@carillon/runtime';
import { type CommitAnswer, type CommitTransport, LocalLanes, systemClock } from '../../src/index.js';
import { SILENT_EVENTS } from '../silent-events.js';

/** Statement timeout. */
const WRITE_MS = 5000;

/** A writer as one process has it. */
export interface Writer {
  readonly lanes: LocalLanes;
  readonly store: PostgresHistoryStore;
  readonly database: Database;
  readonly sent: FanOutRecordBody[];
  readonly retries: string[];
}

export async function openWriter(url: string, writerId: string): Promise<Writer> {
  const { hostname, port, username, password, pathname } = new URL(url);
  const outcome = configure({
    process: 'server',
    argv: [],
    env: {
      RUST_LOG: 'off',
      DATABASE_POSTGRES_HOST: hostname,
      DATABASE_POSTGRES_PORT: port,
      DATABASE_POSTGRES_USERNAME: username,
      DATABASE_POSTGRES_PASSWORD: password,
      DATABASE_POSTGRES_DATABASE: pathname.slice(1),
    },
    cwd: '/nowhere',
    files: { exists: () => false, read: () => '' },
  });
  if (outcome.kind === 'exit') throw new Error(outcome.stderr);
  const prefix = 'service_history';
  const database = new Databases(createParts(outcome.config)).apart('postgres', {
    waiting: 100,
    statementMs: WRITE_MS,
    // The tests name no schema in their statements.
    setup: [...laneConnections(WRITE_MS), 'set search_path = service, public'],
    tables: [historyTables(prefix, SINGLE_SPREAD)],
  });
  const options = { prefix, spread: SINGLE_SPREAD, now: () => Date.now() };
  const store = new PostgresHistoryStore(database, options);
  await store.connect();
  const sent: FanOutRecordBody[] = [];
  const retries: string[] = [];
  const lanes = new LocalLanes(
    {
      store,
      clock: systemClock,
      newStreamId: randomUUID,
      fanOut: async (records) => void sent.push(...records),
      events: { ...SILENT_EVENTS, retried: (cause) => retries.push(cause) },
    },
    { lanes: 1, writerId, nodeId: writerId, queueCapacity: 4096 },
  );
  return { lanes, store, database, sent, retries };
}

/** Sends every request to all of them, and takes the first answer. */
export class ToAll implements CommitTransport {
  constructor(private readonly all: readonly LocalLanes[]) {}

  send(request: CommitBody): Promise<CommitAnswer> {
    return Promise.race(this.all.map((lanes) => lanes.send(request)));
  }
}
