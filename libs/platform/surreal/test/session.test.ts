import { engine } from '@carillon/test-backends';
import { configuration } from '@carillon/testing';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  openSurreal,
  SurrealConflict,
  SurrealMisconfigured,
  SurrealQueryFailed,
  type SurrealSession,
  SurrealThrown,
  SurrealUnavailable,
} from '../src/index.js';

const TIMEOUT_MS = 3000;
const POLL = { timeout: 30_000, interval: 50 };

async function session(url: string, more: Record<string, string> = {}): Promise<SurrealSession> {
  const { database } = configuration({
    DATABASE_SURREALDB_URL: url,
    DATABASE_SURREALDB_DATABASE: `d${randomUUID()}`,
    ...more,
  });
  const opened = await openSurreal(database.surrealdb, TIMEOUT_MS);
  onTestFinished(() => opened.close());
  return opened;
}

const shared = async (): Promise<string> => (await engine('surrealdb')).url;

const ownServer = async () => {
  const server = await engine('surrealdb', { own: true });
  onTestFinished(() => server.release());
  return server;
};

const increment = (open: SurrealSession): Promise<unknown> =>
  open.query('{ FOR $i IN 0..300 { LET $j = $i }; UPDATE bell:tenor SET rung = (rung ?? 0) + 1 }');

describe('a session', () => {
  it('works in the namespace and database of the settings', async () => {
    const open = await session(await shared(), {
      DATABASE_SURREALDB_NAMESPACE: 'bells',
      DATABASE_SURREALDB_DATABASE: 'tower',
    });
    expect(await open.query('RETURN [session::ns(), session::db()]')).toEqual([['bells', 'tower']]);
    await open.health();
  });

  it('signs in as a user of the database when the server has none of that name', async () => {
    const url = await shared();
    const place = { DATABASE_SURREALDB_DATABASE: `d${randomUUID()}` };
    const root = await session(url, place);
    await root.query("DEFINE USER ringer ON DATABASE PASSWORD 'rope' ROLES EDITOR");
    const credentials = { DATABASE_SURREALDB_USERNAME: 'ringer', DATABASE_SURREALDB_PASSWORD: 'rope' };
    const open = await session(url, { ...place, ...credentials });
    expect(await open.query('RETURN session::db()')).toEqual([place.DATABASE_SURREALDB_DATABASE]);
  });

  it('names the settings, and no password, when the server rejects the credentials', async () => {
    const open = await session(await shared(), { DATABASE_SURREALDB_PASSWORD: 'wrong-password' });
    const error: unknown = await open.connect().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SurrealMisconfigured);
    expect(String(error)).toMatch(
      /rejected user "root"; check database\.surrealdb\.username and database\.surrealdb\.password/,
    );
    expect(String(error)).not.toContain('wrong-password');
  });

  it('connects while other sessions create the namespace and database at the same time', async () => {
    const { url } = await ownServer();
    const place = { DATABASE_SURREALDB_NAMESPACE: 'bells', DATABASE_SURREALDB_DATABASE: 'tower' };
    const sessions = await Promise.all(Array.from({ length: 8 }, () => session(url, place)));
    await Promise.all(sessions.map((each) => each.connect()));
    for (const each of sessions) expect(await each.query('RETURN session::db()')).toEqual(['tower']);
  });

  it('rejects an address with another scheme', async () => {
    await expect(session('ftp://127.0.0.1')).rejects.toThrow('scheme "ftp:"; expected ws://, wss://');
  });

  it('accepts the address of the HTTP interface', async () => {
    const open = await session((await shared()).replace('ws:', 'http:'));
    expect(await open.query('RETURN 1')).toEqual([1]);
  });

  it('tells thrown values, conflicts and rejected queries apart', async () => {
    const url = await shared();
    const place = { DATABASE_SURREALDB_DATABASE: `d${randomUUID()}` };
    const [one, other] = [await session(url, place), await session(url, place)];
    const thrown: unknown = await one.query("THROW 'stale\nversion'").catch((error: unknown) => error);
    expect(thrown).toEqual(new SurrealThrown('stale\nversion'));
    await expect(one.query('SELECT FROM WHERE')).rejects.toThrow(SurrealQueryFailed);
    await one.query('DEFINE TABLE bell; CREATE bell:tenor');
    const outcomes = await Promise.allSettled(
      Array.from({ length: 40 }, (_, index) => increment(index % 2 === 0 ? one : other)),
    );
    const failures = outcomes.flatMap((outcome) =>
      outcome.status === 'rejected' ? [outcome.reason as unknown] : [],
    );
    expect(failures.filter((failure) => !(failure instanceof SurrealConflict))).toEqual([]);
    const written = outcomes.length - failures.length;
    expect(await one.query('SELECT VALUE rung FROM ONLY bell:tenor')).toEqual([written]);
  });
});

describe('a server that fails', () => {
  it('ends every request in time while it does not answer, and is used again when it does', async () => {
    const server = await ownServer();
    const open = await session(server.url);
    await open.connect();
    await server.pause();
    await expect(open.query('RETURN 1')).rejects.toThrow(SurrealUnavailable);
    await expect(open.health()).rejects.toThrow(SurrealUnavailable);
    await server.resume();
    await expect.poll(() => open.query('RETURN 1').catch(String), POLL).toEqual([1]);
  });

  it('ends requests under way when it crashes; a new connection signs in again after its restart', async () => {
    const server = await ownServer();
    const open = await session(server.url);
    await open.query('DEFINE TABLE bell; CREATE bell:tenor');
    const waiting = open.query('SLEEP 20s').catch((error: unknown) => error);
    await open.query('RETURN 1');
    await server.kill();
    expect(await waiting).toBeInstanceOf(SurrealUnavailable);
    await expect(open.query('RETURN 1')).rejects.toThrow(SurrealUnavailable);
    await server.restart();
    expect(await open.query('SELECT VALUE record::id(id) FROM bell')).toEqual([['tenor']]);
  });

  it('is unavailable while nothing listens, or while a connection is never accepted', async () => {
    await expect((await session('ws://127.0.0.1:1')).connect()).rejects.toThrow(
      'SurrealDB at ws://127.0.0.1:1/rpc: ',
    );
    const silent = createServer((socket) => onTestFinished(() => void socket.destroy()));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void silent.close());
    const address = silent.address();
    const port = typeof address === 'object' ? address?.port : 0;
    await expect((await session(`ws://127.0.0.1:${port}`)).connect()).rejects.toThrow(SurrealUnavailable);
  });

  it('rejects requests after the session is closed', async () => {
    const open = await session(await shared());
    await open.connect();
    await open.close();
    await open.close();
    await expect(open.query('RETURN 1')).rejects.toThrow('the session is closed');
  });
});
