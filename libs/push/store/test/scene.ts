import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { configure } from '@carillon/config';
import { Databases } from '@carillon/database';
import { engine, type EngineHandle } from '@carillon/test-backends';
import { createParts } from '@carillon/runtime';
import { configuration } from '@carillon/testing';
import { MemoryRecords } from '@carillon/records';
import { MemoryPushStore, openSql, type PushStore } from '../src/index.js';
import { openPushStore } from '../src/open.js';
import { RecordPushStore } from '../src/records/store.js';

export interface Scene {
  readonly store: PushStore;
  readonly close: () => Promise<void>;
}

export const memoryScene = async (): Promise<Scene> => ({
  store: new MemoryPushStore(),
  close: async () => {},
});

/** The store over records, with the limits of the strictest driver. */
export const recordsScene = async (): Promise<Scene> => {
  const store = new RecordPushStore('records', new MemoryRecords());
  await store.connect();
  return { store, close: () => store.close() };
};

const RECORD_BACKENDS = {
  dynamodb: {
    engine: 'moto',
    settings: ({ url }: EngineHandle) => ({
      DATABASE_DYNAMODB_ENDPOINT_URL: url,
      AWS_ACCESS_KEY_ID: 'carillon',
      AWS_SECRET_ACCESS_KEY: 'secret',
    }),
    file: '',
  },
  scylladb: {
    engine: 'cassandra',
    settings: ({ host, port }: EngineHandle, name: string) => ({
      SCYLLADB_NODES: `${host}:${port}`,
      SCYLLADB_KEYSPACE: name,
      SCYLLADB_REPLICATION_FACTOR: '1',
    }),
    file: '[database.scylladb]\nusername = "cassandra"\npassword = "cassandra"\n',
  },
  surrealdb: {
    engine: 'surrealdb',
    settings: ({ url }: EngineHandle) => ({ DATABASE_SURREALDB_URL: url }),
    file: '',
  },
} as const;

/** A table of its own on the test backend of a records driver, and stores of it as several processes have them. */
async function tableOf(driver: keyof typeof RECORD_BACKENDS) {
  const { engine: name, settings, file } = RECORD_BACKENDS[driver];
  const handle = await engine(name);
  const corner = await handle.isolate();
  const prefix = `t${randomUUID().replaceAll('-', '')}`;
  const variables = {
    PUSH_STORAGE_DRIVER: driver,
    PUSH_TABLE_PREFIX: prefix,
    ...settings(handle, corner.name),
  };
  const config = configuration(variables, file);
  const open = async (): Promise<PushStore> => {
    const store = await openPushStore(config, new Databases(createParts(config)));
    await store.connect();
    return store;
  };
  return { open, release: () => corner.end() };
}

export const recordsDriverScene = (driver: keyof typeof RECORD_BACKENDS) => async (): Promise<Scene> => {
  const { open, release } = await tableOf(driver);
  const store = await open();
  return {
    store,
    close: async () => {
      await store.close();
      await release();
    },
  };
};

/** Stores of three processes over one table of a records driver. */
export const processesScene = (driver: keyof typeof RECORD_BACKENDS) => async () => {
  const { open, release } = await tableOf(driver);
  const stores = await Promise.all([open(), open(), open()]);
  const close = async (): Promise<void> => {
    await Promise.all(stores.map((store) => store.close()));
    await release();
  };
  return { stores, close };
};

/** A database of its own on the engine of a dialect, and the databases of a process that is configured for it, `as` another role. */
export async function cornerOf(dialect: 'mysql' | 'postgres') {
  const { url, end } = await (await engine(dialect === 'mysql' ? 'mariadb' : 'postgres')).isolate();
  const { username, password, pathname } = new URL(url);
  const as = (role: string, secret: string) => processAs(dialect, url, role, secret);
  return { name: pathname.slice(1), databases: as(username, password), as, end };
}

/** The databases of a process that is configured for the one at the address. */
function processAs(dialect: 'mysql' | 'postgres', url: string, username: string, password: string) {
  const { hostname, port, pathname } = new URL(url);
  const prefix = `DATABASE_${dialect.toUpperCase()}`;
  const outcome = configure({
    process: 'server',
    argv: [],
    env: {
      RUST_LOG: 'off',
      [`${prefix}_HOST`]: hostname,
      [`${prefix}_PORT`]: port,
      [`${prefix}_USERNAME`]: username,
      [`${prefix}_PASSWORD`]: password,
      [`${prefix}_DATABASE`]: pathname.slice(1),
    },
    cwd: '/nowhere',
    files: { exists: () => false, read: () => '' },
  });
  if (outcome.kind === 'exit') throw new Error(outcome.stderr);
  const { config } = outcome;
  return () => new Databases(createParts(config));
}

export const sqlScene = (dialect: 'mysql' | 'postgres') => async (): Promise<Scene> => {
  const { databases, end } = await cornerOf(dialect);
  const store = openSql(databases(), dialect);
  await store.connect();
  return {
    store,
    close: async () => {
      await store.close();
      await end();
    },
  };
};
