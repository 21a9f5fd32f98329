import { engine } from '@carillon/test-backends';
import { configuration } from '@carillon/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openSurreal } from '@carillon/surreal';
import { openSurrealRecords } from '../src/drivers/surreal/open.js';
import { all, newTable, type RecordsBackend, row, sorts } from './backend.js';
import { recordsConformance } from './conformance.js';

/** Long, because a busy machine answers late; calls that nothing answers have a limit of their own. */
const TIMEOUT_MS = 15_000;

describe('SurrealDB', () => {
  let server: Awaited<ReturnType<typeof engine>>;
  beforeAll(async () => {
    server = await engine('surrealdb', { own: true });
  });
  afterAll(() => server.release());

  const open = (table: string, timeoutMs = TIMEOUT_MS, more: Record<string, string> = {}) =>
    openSurrealRecords(
      { table, config: configuration({ DATABASE_SURREALDB_URL: server.url, ...more }), timeoutMs },
      3_600_000,
    );

  const backend: RecordsBackend = {
    open,
    openWithWrongCredentials: () => open('t', TIMEOUT_MS, { DATABASE_SURREALDB_PASSWORD: 'wrong' }),
    server: {
      restart: () => server.restart(),
      pause: () => server.pause(),
      resume: () => server.resume(),
    },
  };
  recordsConformance('SurrealDB', backend);

  it('deletes expired rows, and no others', async () => {
    const table = newTable();
    const config = configuration({ DATABASE_SURREALDB_URL: server.url });
    const store = await openSurrealRecords({ table, config, timeoutMs: TIMEOUT_MS }, 50);
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
