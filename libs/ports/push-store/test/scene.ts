import 'reflect-metadata';
import { configure } from '@carillon/config';
import { Databases } from '@carillon/database';
import { engine } from '@carillon/engines';
import { createParts } from '@carillon/runtime';
import { MemoryRecords } from '@carillon/records';
import { MemoryPushStore, openSql, type PushStore } from '../src/index.js';
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
