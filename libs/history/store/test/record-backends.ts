import { randomUUID } from 'node:crypto';
import { type Config, configure } from '@carillon/config';
import { engine } from '@carillon/test-backends';
import { openRecords, type RecordStore } from '@carillon/records';
import { RecordHistoryStore } from '../src/index.js';
import { NOW_MS } from './scene.js';

/** A record store on a test backend. */
export interface RecordBackend {
  readonly name: string;
  /** The settings of a server that is running. */
  readonly settings: () => Promise<BackendSettings>;
}

export interface BackendSettings {
  readonly env: Record<string, string>;
  readonly json: object;
  readonly release: () => Promise<void>;
}

export const RECORD_BACKENDS: readonly RecordBackend[] = [
  {
    name: 'dynamodb',
    settings: async () => {
      const { url, name, end } = await (await engine('moto')).isolate();
      return {
        env: {
          DATABASE_DYNAMODB_ENDPOINT_URL: url,
          AWS_ACCESS_KEY_ID: 'carillon',
          AWS_SECRET_ACCESS_KEY: 'secret',
        },
        json: { history: { dynamodb: { table_prefix: name } } },
        release: end,
      };
    },
  },
  {
    name: 'scylladb',
    settings: async () => {
      const server = await engine('cassandra');
      const { name: keyspace, end } = await server.isolate();
      const scylladb = {
        keyspace,
        username: 'cassandra',
        password: 'cassandra',
        replication_factor: 1,
      };
      return {
        env: { SCYLLADB_NODES: `${server.host}:${server.port}` },
        json: { database: { scylladb } },
        release: end,
      };
    },
  },
  {
    name: 'surrealdb',
    settings: async () => {
      const { url, name, end } = await (await engine('surrealdb')).isolate();
      const env = { DATABASE_SURREALDB_URL: url, DATABASE_SURREALDB_DATABASE: name };
      return { env, json: {}, release: end };
    },
  },
];

/** The configuration of a process with these settings. */
export function configOf({ env, json }: Pick<BackendSettings, 'env' | 'json'>): Config {
  const outcome = configure({
    process: 'server',
    argv: [],
    env: { RUST_LOG: 'off', ...env },
    cwd: '/nowhere',
    files: { exists: (path) => path === '/nowhere/config/config.json', read: () => JSON.stringify(json) },
  });
  if (outcome.kind === 'exit') throw new Error(outcome.stderr);
  return outcome.config;
}

export const newTable = (): string => `t${randomUUID().replaceAll('-', '')}`;

/** A connected record store. */
export async function openBackend(
  name: string,
  settings: BackendSettings,
  table = newTable(),
): Promise<RecordStore> {
  const records = await openRecords(name, { config: configOf(settings), table });
  await records.connect();
  return records;
}

export const storeOver = (records: RecordStore): RecordHistoryStore =>
  new RecordHistoryStore(records, { now: () => NOW_MS, timeoutMs: 20_000, surveyEveryMs: 0 });
