import { engine, type EngineHandle } from '@carillon/test-backends';
import { freePort } from '@carillon/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ensureTable, ScyllaRejected, ScyllaSession, ScyllaUnavailable } from '../src/index.js';
import { type Changes, settingsOf } from './settings-of.js';

/** A node takes some ten seconds to start. */
const START_LIMIT_MS = 120_000;

let node: EngineHandle;
let end: () => Promise<void>;
let keyspace: string;
beforeAll(async () => {
  node = await engine('cassandra');
  ({ name: keyspace, end } = await node.isolate());
}, START_LIMIT_MS);
afterAll(() => end(), START_LIMIT_MS);

/** An unconnected session as superuser in the keyspace of this file, unless settings say otherwise. */
function sessionOf(changes: Changes = {}): ScyllaSession {
  const nodes = [`${node.host}:${node.port}`];
  const session = new ScyllaSession(
    settingsOf({ nodes, keyspace, username: 'cassandra', password: 'cassandra', ...changes }),
  );
  onTestFinished(() => session.close());
  return session;
}

async function connected(changes: Changes = {}): Promise<ScyllaSession> {
  const session = sessionOf(changes);
  await session.connect();
  return session;
}

const failureOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'resolved',
    (thrown: unknown) => thrown,
  );

describe('a session on ScyllaDB', () => {
  it('creates a missing keyspace with the configured replication, also when processes race', async () => {
    const changes = { keyspace: `${keyspace}_New`, replication_factor: 2 };
    const sessions = [1, 2, 3].map(() => sessionOf(changes));
    await Promise.all(sessions.map((session) => session.connect()));
    const query = 'SELECT replication FROM system_schema.keyspaces WHERE keyspace_name = ?';
    const [row] = (await sessions[0]?.read({ query, params: [changes.keyspace] }))?.rows ?? [];
    const strategy = 'org.apache.cassandra.locator.SimpleStrategy';
    expect(row?.['replication']).toEqual({ class: strategy, replication_factor: '2' });
    await sessions[0]?.changeSchema(`DROP KEYSPACE "${changes.keyspace}"`);
  });

  it('rejects missing and wrong credentials, and names the settings', async () => {
    const wrong = await failureOf(sessionOf({ password: 'wrong' }).connect());
    expect(wrong).toBeInstanceOf(ScyllaRejected);
    expect(String(wrong)).toContain(
      'the server rejects database.scylladb.username "cassandra" and database.scylladb.password',
    );
    const missing = await failureOf(sessionOf({ username: null, password: null }).connect());
    expect(missing).toBeInstanceOf(ScyllaRejected);
    expect(String(missing)).toContain('set database.scylladb.username and database.scylladb.password');
  });

  it('rejects a keyspace that the user may not create, and says what to do', async () => {
    const admin = await connected();
    const username = `${keyspace}_reader`;
    await admin.changeSchema(`CREATE ROLE ${username} WITH PASSWORD = 'p' AND LOGIN = true`);
    const error = await failureOf(sessionOf({ username, password: 'p', keyspace: 'none' }).connect());
    await admin.changeSchema(`DROP ROLE ${username}`);
    expect(error).toBeInstanceOf(ScyllaRejected);
    expect(String(error)).toContain(
      `database.scylladb.keyspace "none" does not exist, and user "${username}" may not create it; create it, or grant CREATE on all keyspaces`,
    );
  });

  it('rejects a table whose columns differ, and names it', async () => {
    const session = await connected();
    await session.changeSchema(`CREATE TABLE ${session.table('Odd')} (id text PRIMARY KEY)`);
    const probe = async (): Promise<void> => {
      await session.read({ query: `SELECT value FROM ${session.table('Odd')} WHERE id = ?`, params: ['a'] });
    };
    const error = await failureOf(ensureTable(session, { name: 'Odd', create: async () => {}, probe }));
    expect(error).toBeInstanceOf(ScyllaRejected);
    expect(String(error)).toContain(`table "Odd" of database.scylladb.keyspace "${keyspace}" is not usable`);
  });

  it('is unavailable when no node can be reached, and connects with the first call after one can', async () => {
    const port = await freePort();
    const session = sessionOf({ nodes: [`127.0.0.1:${port}`, 'no-such-host.invalid:9042'] });
    for (const call of [() => session.connect(), () => session.health()]) {
      const error = await failureOf(call());
      expect(error).toBeInstanceOf(ScyllaUnavailable);
      expect(String(error)).toContain(
        `database.scylladb.nodes (127.0.0.1:${port}, no-such-host.invalid:9042)`,
      );
    }
    await (await connected()).health();
  });

  it('applies a conditional batch once, and reads pages in order', async () => {
    const session = await connected();
    const table = session.table('Pages');
    await session.changeSchema(`CREATE TABLE ${table} (p text, s bigint, PRIMARY KEY (p, s))`);
    const insert = (s: bigint) => ({
      query: `INSERT INTO ${table} (p, s) VALUES (?, ?) IF NOT EXISTS`,
      params: ['p', s],
    });
    const batch = Array.from({ length: 25 }, (_, index) => insert(BigInt(index)));
    expect([await session.applyIf(batch), await session.applyIf(batch)]).toEqual([true, false]);
    const seen: unknown[] = [];
    const select = { query: `SELECT s FROM ${table} WHERE p = ?`, params: ['p'] };
    for await (const row of session.readAll(select, { fetchSize: 10 })) seen.push(row['s']);
    expect(seen).toEqual(batch.map((_, index) => BigInt(index)));
    expect((await session.read(select, { fetchSize: 10 })).rows).toHaveLength(10);
  });

  it('rejects calls after it is closed', async () => {
    const session = await connected();
    await Promise.all([session.close(), session.close()]);
    expect(await failureOf(session.health())).toBeInstanceOf(ScyllaUnavailable);
  });
});
