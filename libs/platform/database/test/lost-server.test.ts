import { setTimeout as pause } from 'node:timers/promises';
import { engine, type EngineHandle } from '@carillon/test-backends';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { connected, ENGINES, failure, processWith, settings, start } from './scene.js';

describe.each(ENGINES)('a %s server that goes away', (dialect, engineName) => {
  let server: EngineHandle;
  beforeAll(async () => {
    server = await engine(engineName, { own: true });
  });
  afterAll(() => server.release());

  it('fails every call while it is dead, and serves again once it is back', async () => {
    const database = await connected(dialect, server.url);
    await server.kill();
    const failures = [
      await failure(database.query('select 1')),
      await failure(database.query('select 1')),
      await failure(database.transaction(async () => 1)),
      await failure(database.health()),
    ];
    for (const one of failures) expect(one).toMatchObject({ name: 'DatabaseUnavailable' });
    await server.restart();
    await vi.waitFor(() => database.health(), { timeout: 15_000 });
    expect((await database.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });

  it('makes the process degraded, and keeps one from starting, named without the password', async () => {
    const { parts, databases } = await processWith(settings(dialect, server.url));
    const database = databases.use(dialect);
    await start(parts);
    expect(await parts.health.check()).toEqual({ status: 'OK', failures: [] });
    await server.kill();
    expect(await parts.health.check()).toMatchObject({
      status: 'DEGRADED',
      failures: [{ part: `${dialect} database`, severity: 'non-critical' }],
    });
    const late = await processWith(settings(dialect, server.url));
    const other = late.databases.use(dialect);
    await expect(start(late.parts, 600)).rejects.toThrow(new RegExp(`${dialect} database .*ECONNREFUSED`));
    await server.restart();
    await vi.waitFor(() => other.connect(), { timeout: 15_000 });
    await Promise.all([database.close(), other.close()]);
  });

  it('is found when it appears while the process starts', async () => {
    await server.kill();
    const { parts, databases } = await processWith(settings(dialect, server.url));
    const database = databases.use(dialect);
    const [started] = await Promise.all([start(parts), pause(300).then(() => server.restart())]);
    expect(started).toBeUndefined();
    await database.close();
  });

  it('that is silent is given up after its time, and its connections are not used again', async () => {
    const database = await connected(dialect, server.url);
    await database.health();
    await server.pause();
    const silent = await failure(database.query('select 1')).finally(() => server.resume());
    expect(silent).toMatchObject({ reason: 'timeout' });
    await vi.waitFor(() => database.health(), { timeout: 15_000 });
    expect((await database.query('select 2 as two')).rows).toEqual([{ two: 2 }]);
  });

  it('ends a statement that takes too long, and says so', async () => {
    const database = await connected(dialect, server.url);
    const sleep = dialect === 'postgres' ? 'select pg_sleep(20)' : 'select sleep(20) from (select 1) as t';
    expect(await failure(database.query(sleep))).toMatchObject({ reason: 'timeout' });
    expect((await database.query('select 2 as two')).rows).toEqual([{ two: 2 }]);
  });

  it('refuses who cannot log in, without the password in the answer', async () => {
    const url = new URL(server.url);
    url.password = 'not-the-password';
    const { databases } = await processWith(settings(dialect, url.href));
    const database = databases.use(dialect);
    const refused = await failure(database.connect());
    expect(refused).toMatchObject({ reason: 'refused' });
    expect((refused as Error).message).not.toContain('not-the-password');
    await database.close();
  });
});
