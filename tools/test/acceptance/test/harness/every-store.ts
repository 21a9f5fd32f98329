import { engine } from '@carillon/test-backends';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { Node, type Setting } from './node.js';

/** Where a server keeps histories, and what is to be given back when it has ended. */
export interface Store {
  readonly env: Readonly<Record<string, string>>;
  release(): Promise<void> | void;
}

async function database(dialect: 'mysql' | 'postgres'): Promise<Store> {
  const corner = await (await engine(dialect === 'mysql' ? 'mariadb' : 'postgres')).isolate();
  const { hostname, port, username, password, pathname } = new URL(corner.url);
  const prefix = `DATABASE_${dialect.toUpperCase()}`;
  return {
    env: {
      HISTORY_BACKEND: dialect,
      [`${prefix}_HOST`]: hostname,
      [`${prefix}_PORT`]: port,
      [`${prefix}_USERNAME`]: decodeURIComponent(username),
      [`${prefix}_PASSWORD`]: decodeURIComponent(password),
      [`${prefix}_DATABASE`]: pathname.slice(1),
    },
    release: () => corner.end(),
  };
}

function embedded(): Store {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-embedded-'));
  return {
    env: { DATABASE_POSTGRES_EMBEDDED_PATH: join(folder, 'data') },
    release: () => rmSync(folder, { recursive: true }),
  };
}

/** Each is opened for the tests that ask for it, and released by them. */
export const STORES = {
  postgres: () => database('postgres'),
  mysql: () => database('mysql'),
  embedded: async () => embedded(),
} as const;

/** The same tests for a server on each store that outlives a process. */
export function onEveryStore(title: string, setting: Setting, tests: (node: Node) => void): void {
  describe.each(Object.keys(STORES) as (keyof typeof STORES)[])(`${title} (%s)`, (name) => {
    let store: Store = { env: {}, release: () => undefined };
    const node = new Node('server', {
      ...setting,
      get env() {
        return { ...setting.env, HISTORY_ENABLED: 'true', ...store.env };
      },
    });
    beforeAll(async () => {
      store = await STORES[name]();
      await node.start();
    });
    afterEach(() => node.dropClients());
    tests(node);
    afterAll(async () => {
      expect(await node.stop()).toBe(0);
      expect(node.complaints()).toEqual([]);
      await store.release();
    });
  });
}
