import { engine } from '@carillon/test-backends';
import { onTestFinished } from 'vitest';
import { createClient, type PgClient, type Row } from '../src/drivers/postgres/client.js';
import { installOutbox } from '../src/drivers/postgres/install.js';

/** A database with an outbox whose schema, and so whose roles, no other test has. */
export interface Scene {
  readonly schema: string;
  readonly url: string;
  /** The URL of a new role that is a member of these roles. */
  login(...roles: readonly string[]): Promise<{ name: string; url: string }>;
  connect(url?: string): Promise<Connection>;
}

export interface Connection {
  rows(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  end(): Promise<void>;
}

let scenes = 0;

export async function scene(): Promise<Scene> {
  const { url, end } = await (await engine('postgres')).isolate();
  const schema = `outbox_${process.pid}_${(scenes += 1)}`;
  await installOutbox({ url, schema, rotateSeconds: 3600 });
  const clients: PgClient[] = [];
  const connect = async (to = url): Promise<Connection> => {
    const client = await createClient(to, 'test');
    client.on('error', () => {});
    await client.connect();
    clients.push(client);
    return {
      rows: async (text, values = []) => (await client.query({ text, values })).rows,
      end: () => client.end(),
    };
  };
  const roles = [`${schema}_writer`, `${schema}_reader`];
  const admin = await connect();
  onTestFinished(async () => {
    await admin.rows(`DROP SCHEMA "${schema}" CASCADE`);
    for (const role of roles.toReversed()) {
      await admin.rows(`DROP OWNED BY "${role}"`);
      await admin.rows(`DROP ROLE "${role}"`);
    }
    await Promise.all(clients.map((client) => client.end().catch(() => {})));
    await end();
  });
  return {
    schema,
    url,
    connect,
    login: async (...members) => {
      const name = `${schema}_login_${roles.length}`;
      roles.push(name);
      await admin.rows(`CREATE ROLE "${name}" LOGIN PASSWORD 'p'`);
      for (const role of members) await admin.rows(`GRANT "${role}" TO "${name}"`);
      const own = new URL(url);
      own.username = name;
      own.password = 'p';
      return { name, url: own.href };
    },
  };
}
