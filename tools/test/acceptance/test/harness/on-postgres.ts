import { Databases, type Database } from '@carillon/database';
import { engine } from '@carillon/test-backends';
import { createParts } from '@carillon/runtime';
import { configuration } from '@carillon/testing';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { Node, type Setting } from './node.js';

/** A server whose histories are in a PostgreSQL that tests get at behind its back. */
export interface Watched {
  readonly node: Node;
  /** What is in it by now. */
  readonly database: () => Database;
}

export function onPostgres(title: string, setting: Setting, tests: (watched: Watched) => void): void {
  describe(`${title} (postgres)`, () => {
    let corner: { end(): Promise<void> } | undefined;
    let database: Database | undefined;
    let env: Readonly<Record<string, string>> = {};
    const node = new Node('server', {
      ...setting,
      get env() {
        return { ...setting.env, ...env, HISTORY_ENABLED: 'true' };
      },
    });
    beforeAll(async () => {
      const own = await (await engine('postgres')).isolate();
      corner = own;
      const { hostname, port, username, password, pathname } = new URL(own.url);
      env = {
        DATABASE_POSTGRES_HOST: hostname,
        DATABASE_POSTGRES_PORT: port,
        DATABASE_POSTGRES_USERNAME: decodeURIComponent(username),
        DATABASE_POSTGRES_PASSWORD: decodeURIComponent(password),
        DATABASE_POSTGRES_DATABASE: pathname.slice(1),
      };
      database = new Databases(createParts(configuration({ RUST_LOG: 'off', ...env }))).apart('postgres', {
        waiting: 100,
        statementMs: 5000,
        // What tests ask for names no schema.
        setup: ['set search_path = service, public'],
      });
      await database.connect();
      await node.start();
    });
    afterEach(() => node.dropClients());
    tests({
      node,
      database: () => {
        if (database === undefined) throw new Error('it is not there yet');
        return database;
      },
    });
    afterAll(async () => {
      expect(await node.stop()).toBe(0);
      await database?.close();
      await corner?.end();
    });
  });
}
