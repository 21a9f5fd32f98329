import { randomUUID } from 'node:crypto';
import { ensureTable, quoted, type ScyllaSession } from '@carillon/scylla';
import { COLUMNS } from './row.js';

/** Both tables of the app registry, as qualified and quoted names. */
export interface AppTables {
  readonly apps: string;
  readonly keys: string;
}

const keyTableOf = (name: string): string => `${name}_keys`;

export const tablesOf = (session: ScyllaSession, name: string): AppTables => ({
  apps: session.table(name),
  keys: session.table(keyTableOf(name)),
});

/** Creates the tables and the index of keys where they are missing, and proves that they are usable. */
export async function ensureTables(session: ScyllaSession, name: string): Promise<void> {
  const { apps, keys } = tablesOf(session, name);
  await ensureTable(session, {
    name,
    indexed: 'key',
    create: async () => {
      await session.changeSchema(`CREATE TABLE IF NOT EXISTS ${apps} (id text PRIMARY KEY, "key" text, secret text,
        enabled boolean, policy text, created_at timestamp, updated_at timestamp)`);
      await session.changeSchema(
        `CREATE INDEX IF NOT EXISTS ${quoted(`${name}_key_idx`)} ON ${apps} ("key")`,
      );
    },
    probe: async () => {
      const nobody = randomUUID();
      await session.read({
        query: `SELECT ${COLUMNS}, created_at FROM ${apps} WHERE "key" = ?`,
        params: [nobody],
      });
      const query = `UPDATE ${apps} SET updated_at = toTimestamp(now()) WHERE id = ? IF "key" = ?`;
      await session.applyIf([{ query, params: [nobody, nobody] }]);
    },
  });
  await ensureTable(session, {
    name: keyTableOf(name),
    create: () =>
      session.changeSchema(
        `CREATE TABLE IF NOT EXISTS ${keys} ("key" text PRIMARY KEY, app_id text, reservation text)`,
      ),
    probe: async () => {
      const nobody = randomUUID();
      const query = `UPDATE ${keys} SET app_id = ? WHERE "key" = ? IF reservation = ?`;
      await session.applyIf([{ query, params: [nobody, nobody, nobody] }]);
    },
  });
}
