import { randomUUID } from 'node:crypto';
import { configure } from '@carillon/config';
import { type Database, Databases } from '@carillon/database';
import { engine } from '@carillon/test-backends';
import { createParts } from '@carillon/runtime';
import {
  type Changes,
  type DurableStore,
  type Found,
  type HistoryStore,
  historyTables,
  laneConnections,
  MemoryHistoryStore,
  PostgresHistoryStore,
  type Receipt,
  SINGLE_SPREAD,
  type Spread,
  type StoredMessage,
  type StoredRecord,
  type Stream,
  type StreamAddress,
  streamName,
  type Wanted,
} from '../src/index.js';

export const NOW_MS = Date.parse('2026-03-05T10:30:00Z');
export const DAY_MS = 86_400_000;
/** Limit of a statement and of a lock wait. */
const WRITE_MS = 2000;

export interface Opened {
  readonly store: DurableStore;
  readonly close: () => Promise<void>;
}

export const openMemory = async (): Promise<Opened> => ({
  store: new MemoryHistoryStore(),
  close: async () => {},
});

/** A database of its own on the shared engine. */
export const corner = async () => (await engine('postgres')).isolate();

/** The databases of a process that was configured like this. */
export function databasesOf(env: Record<string, string>): Databases {
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

/** The settings that lead to a database. */
export function settings(dialect: 'postgres' | 'mysql', url: string): Record<string, string> {
  const { hostname, port, username, password, pathname } = new URL(url);
  const prefix = `DATABASE_${dialect.toUpperCase()}`;
  return {
    [`${prefix}_HOST`]: hostname,
    [`${prefix}_PORT`]: port,
    [`${prefix}_USERNAME`]: username,
    [`${prefix}_PASSWORD`]: password,
    [`${prefix}_DATABASE`]: pathname.slice(1),
  };
}

/** A database as a process has it. */
export const databaseAt = (url: string, prefix: string, spread: Spread): Database =>
  databasesOf(settings('postgres', url)).apart('postgres', {
    waiting: 100,
    statementMs: WRITE_MS,
    // The tests name no schema in their statements.
    setup: [...laneConnections(WRITE_MS), 'set search_path = service, public'],
    tables: [historyTables(prefix, spread)],
  });

/** The store of a single node, in a folder. */
export async function openEmbedded(folder: string): Promise<OpenedPostgres & { readonly reads: Database }> {
  const databases = databasesOf({ DATABASE_POSTGRES_EMBEDDED_PATH: folder });
  const database = databases.embedded({
    waiting: 100,
    statementMs: WRITE_MS,
    setup: laneConnections(WRITE_MS),
    tables: [historyTables('service_history', SINGLE_SPREAD)],
  });
  const reads = databases.embedded({ waiting: 100, statementMs: WRITE_MS, isDeferrable: true });
  const store = new PostgresHistoryStore(database, {
    prefix: 'service_history',
    spread: SINGLE_SPREAD,
    now: () => NOW_MS,
    reads,
    vacuums: true,
  });
  await store.connect();
  const close = async (): Promise<void> => void (await Promise.all([reads.close(), database.close()]));
  return { store, database, reads, close };
}

export interface OpenedPostgres extends Opened {
  readonly store: PostgresHistoryStore;
  readonly database: Database;
}

/** A store as one process has it. */
export async function openPostgres(
  url: string,
  prefix = 'service_history',
  spread: Spread = { records: 2, forever: 2, messages: 2 },
): Promise<OpenedPostgres> {
  const database = databaseAt(url, prefix, spread);
  const store = new PostgresHistoryStore(database, {
    prefix,
    spread,
    now: () => NOW_MS,
  });
  await store.connect();
  return { store, database, close: () => database.close() };
}

export const addressOf = (channel: string, kind: StreamAddress['kind'] = 'messages'): StreamAddress => ({
  appId: 'shop',
  channel,
  kind,
});

export const wantedOf = (addresses: readonly StreamAddress[], more: Partial<Wanted> = {}): Wanted => ({
  nowMs: NOW_MS,
  streams: addresses.map((address) => ({ address, create: true })),
  receipts: { scopes: [], sinceMs: NOW_MS - 600_000 },
  members: [],
  crowds: [],
  below: null,
  inspect: false,
  ...more,
});

export const NOTHING: Changes = {
  streams: [],
  records: [],
  receipts: [],
  presenceEvents: [],
  presenceMembers: [],
  presenceCheckpoints: [],
  operatorLog: [],
};

/** A record at the head of a stream. */
export const recordAt = (stream: Stream, more: Partial<StoredRecord> = {}): StoredRecord => ({
  streamKey: stream.streamKey,
  generation: stream.generation,
  deliverySerial: stream.nextDeliverySerial,
  historySerial: stream.nextHistorySerial,
  rootHistorySerial: null,
  publishedAtMs: NOW_MS,
  historyUntilMs: NOW_MS + DAY_MS,
  keepUntilMs: NOW_MS + DAY_MS,
  action: 'plain',
  messageSerial: null,
  versionSerial: null,
  messageId: randomUUID(),
  eventName: 'order.paid',
  actorClientId: null,
  payload: '{"event":"order.paid"}',
  payloadSize: 22,
  tombstone: false,
  ...more,
});

/** A mutable message in its first version. */
export const messageIn = (stream: Stream, more: Partial<StoredMessage> = {}): StoredMessage => ({
  streamKey: stream.streamKey,
  generation: stream.generation,
  messageSerial: 'm',
  historySerial: stream.nextHistorySerial,
  creatorId: null,
  versionSerial: 'v1',
  deliverySerial: stream.nextDeliverySerial,
  action: 'create',
  atMs: NOW_MS,
  clientId: null,
  description: null,
  metadata: null,
  name: 'note',
  extras: null,
  data: { text: '"a"' },
  dataKind: 'string',
  isJsonText: true,
  dataBytes: 1,
  baseSerial: stream.nextDeliverySerial,
  baseVersionSerial: 'v1',
  appends: 0,
  isOpen: false,
  keepUntilMs: NOW_MS + DAY_MS,
  ...more,
});

export const receiptOf = (record: StoredRecord, more: Partial<Receipt> = {}): Receipt => {
  const pubId = randomUUID();
  return {
    scope: pubId,
    pubId,
    atMs: NOW_MS,
    untilMs: NOW_MS + 600_000,
    streamKey: record.streamKey,
    generation: record.generation,
    deliverySerial: record.deliverySerial,
    fingerprint: null,
    extra: null,
    ...more,
  };
};

/** The stream after a record. */
export const after = (stream: Stream, record: StoredRecord): Stream => ({
  ...stream,
  nextDeliverySerial: record.deliverySerial + 1,
  nextHistorySerial: (record.historySerial ?? stream.nextHistorySerial - 1) + 1,
  retainedMessages: stream.retainedMessages + 1,
  retainedBytes: stream.retainedBytes + record.payloadSize,
  newestPublishedAtMs: record.publishedAtMs,
  lastKeepDay: stream.lastKeepDay ?? '2026-03-20',
});

export function streamIn(found: Found, address: StreamAddress): Stream {
  const stream = found.streams.get(streamName(address));
  if (stream === null || stream === undefined) throw new Error('the stream is not held');
  return stream;
}

/** Appends one record after another to a stream, in one batch. */
export async function append(
  store: HistoryStore,
  address: StreamAddress,
  records: readonly Partial<StoredRecord>[],
  stream: Partial<Stream> = {},
): Promise<readonly StoredRecord[]> {
  const { changes, isHeld } = await store.commit(wantedOf([address]), (found) => {
    // A purge has it at this moment.
    if (found.streams.get(streamName(address)) === undefined) return { changes: NOTHING, isHeld: false };
    let head = streamIn(found, address);
    const written = records.map((more) => {
      const record = recordAt(head, more);
      head = after(head, record);
      return record;
    });
    return {
      isHeld: true,
      changes: {
        ...NOTHING,
        streams: [{ ...head, ...stream }],
        records: written,
        receipts: written.map((record) => receiptOf(record)),
      },
    };
  });
  return isHeld ? changes.records : append(store, address, records, stream);
}

export async function headOf(store: HistoryStore, address: StreamAddress): Promise<Stream> {
  const stream = (await store.heads([address])).get(streamName(address));
  if (stream === undefined) throw new Error('there is no stream');
  return stream;
}
