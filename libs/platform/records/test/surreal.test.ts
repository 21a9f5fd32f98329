import { engine } from '@carillon/test-backends';
import { configuration } from '@carillon/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openSurreal } from '@carillon/surreal';
import { openSurrealRecords } from '../src/drivers/surreal/open.js';
import { absent, all, commitOf, newTable, type RecordsBackend, row, sorts } from './backend.js';
import { recordsConformance } from './conformance.js';

const TIMEOUT_MS = 3000;

describe('SurrealDB', () => {
  let server: Awaited<ReturnType<typeof engine>>;
  beforeAll(async () => {
    server = await engine('surrealdb', { own: true });
  });
  afterAll(() => server.release());

  const open = (table: string, more: Record<string, string> = {}) =>
    openSurrealRecords(
      { table, config: configuration({ DATABASE_SURREALDB_URL: server.url, ...more }) },
      { timeoutMs: TIMEOUT_MS, purgeIntervalMs: 3_600_000 },
    );

  const backend: RecordsBackend = {
    open,
    openWithWrongCredentials: () => open('t', { DATABASE_SURREALDB_PASSWORD: 'wrong' }),
    server: {
      restart: () => server.restart(),
      pause: () => server.pause(),
      resume: () => server.resume(),
    },
  };
  recordsConformance('SurrealDB', backend);

  it('keeps every resolved commit, and no part of another one, when the server is killed under load', async () => {
    const store = await open(newTable());
    onTestFinished(() => store.close());
    await store.connect();
    const kept: string[] = [];
    const write = async (writer: number): Promise<void> => {
      for (let count = 0; ; count += 1) {
        const name = `w${writer}-${String(count).padStart(6, '0')}`;
        const puts = [row(name), ...['x', 'y', 'z'].map((part) => row(`${name}-${part}`))];
        await store.commit(commitOf({ conditions: [absent(name)], puts }));
        kept.push(name);
      }
    };
    const writers = Promise.allSettled(Array.from({ length: 8 }, (_, writer) => write(writer)));
    await expect.poll(() => kept.length, { timeout: 20_000, interval: 5 }).toBeGreaterThan(100);
    await server.kill();
    await writers;
    await server.restart();
    const found = sorts(await all(store));
    const commits = new Map<string, number>();
    for (const sort of found) {
      const name = sort.slice(0, 'w0-000000'.length);
      commits.set(name, (commits.get(name) ?? 0) + 1);
    }
    expect(kept.filter((name) => !commits.has(name))).toEqual([]);
    expect(new Set(commits.values())).toEqual(new Set([4]));
  });

  it('deletes expired rows, and no others', async () => {
    const table = newTable();
    const config = configuration({ DATABASE_SURREALDB_URL: server.url });
    const store = await openSurrealRecords({ table, config }, { timeoutMs: TIMEOUT_MS, purgeIntervalMs: 50 });
    const session = await openSurreal(config.database.surrealdb, TIMEOUT_MS);
    onTestFinished(async () => {
      await store.close();
      await session.close();
    });
    await store.connect();
    const expired = Array.from({ length: 700 }, (_, index) => ({
      ...row(`k${index}`),
      partition: 'p',
      expiresAtMs: Date.now() - 1,
    }));
    const kept = { ...row('kept'), partition: 'p', expiresAtMs: Date.now() + 3_600_000 };
    await store.put([...expired, kept, { ...row('lasting'), partition: 'p' }]);
    const stored = () => session.query(`RETURN (SELECT VALUE id FROM ${table}).len()`);
    await expect.poll(stored, { timeout: 20_000, interval: 50 }).toEqual([2]);
    expect(sorts(await all(store))).toEqual(['kept', 'lasting']);
  });

  it('rejects a table name that is not an identifier', async () => {
    await expect(open('a-b')).rejects.toThrow('SurrealDB table "a-b" is not an identifier');
  });
});
