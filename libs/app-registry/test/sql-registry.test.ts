import { engine, type EngineHandle } from '@carillon/test-backends';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { AppLookupUnavailable, AppRegistry, type AppRegistryOptions } from '../src/index.js';
import { OPTIONS, record } from './samples.js';
import { Clock } from './scene.js';
import { openSqlStore, quoted, SQL_DRIVERS } from './sql-scene.js';

describe.each(SQL_DRIVERS)('the registry over %s', (driver, engineName) => {
  let server: EngineHandle;
  beforeAll(async () => {
    server = await engine(engineName, { own: true, durable: true });
  });
  afterAll(() => server.release());

  const clock = new Clock();
  beforeEach(() => {
    clock.ms = 0;
  });

  /** A started registry, and the database beside it. */
  async function started(more: Partial<AppRegistryOptions> = {}) {
    const { store, database, table, close } = await openSqlStore(driver, server.url);
    const lines: string[] = [];
    const registry = new AppRegistry(
      { ...OPTIONS, inlineApps: [record('a')], ...more },
      {
        store,
        now: clock.now,
        log: (level, message, fields) => lines.push(`${level} ${message} ${JSON.stringify(fields)}`),
      },
    );
    onTestFinished(async () => {
      await registry.close();
      await close();
    });
    await registry.start();
    const asked = vi.spyOn(database, 'entities');
    const name = driver === 'postgres' ? `service.${quoted(driver, table)}` : quoted(driver, table);
    const write = (change: string) => database.query(`update ${name} set ${change}`);
    return { registry, database, name, lines, asked, write };
  }

  it('finds by id and by key what it registered, without asking again', async () => {
    const { registry, asked } = await started();
    expect(registry.peekById('a')?.key).toBe('a-key');
    expect((await registry.findByKey('a-key'))?.id).toBe('a');
    expect(asked).not.toHaveBeenCalled();
  });

  it('sees what others wrote at the end of the ttl at the latest', async () => {
    const { registry, write } = await started();
    await write('enabled = false');
    clock.pass(299);
    expect((await registry.findById('a'))?.enabled).toBe(true);
    clock.pass(1);
    expect((await registry.findById('a'))?.enabled).toBe(false);
    expect((await registry.findByKey('a-key'))?.enabled).toBe(false);
  });

  it('sees what others wrote at the next poll', async () => {
    const cache = { ...OPTIONS.cache, refresh_interval: 1 };
    const { registry, write } = await started({ cache });
    await write('enabled = false');
    await vi.waitFor(() => expect(registry.peekById('a')?.enabled).toBe(false), { timeout: 10_000 });
  });

  it('asks once for many who ask at once, and not again for who is not there', async () => {
    const { registry, asked } = await started();
    const calls = Array.from({ length: 50 }, () => registry.findByKey('stranger'));
    expect(new Set(await Promise.all(calls))).toEqual(new Set([null]));
    clock.pass(4);
    await registry.findByKey('stranger');
    expect(asked).toHaveBeenCalledTimes(1);
    clock.pass(1);
    await registry.findByKey('stranger');
    expect(asked).toHaveBeenCalledTimes(2);
  });

  it('answers the last good app, else that nobody knows, while the store is dead; and recovers', async () => {
    const { registry } = await started();
    await server.kill();
    clock.pass(600);
    expect((await registry.findByKey('a-key'))?.id).toBe('a');
    await expect(registry.findByKey('stranger')).rejects.toBeInstanceOf(AppLookupUnavailable);
    await expect(registry.findByKey('stranger')).rejects.toMatchObject({ status: 503 });
    await expect(registry.health()).rejects.toThrow('the app store cannot answer');
    clock.pass(3600);
    await expect(registry.findByKey('a-key')).rejects.toBeInstanceOf(AppLookupUnavailable);
    await server.restart();
    await vi.waitFor(() => registry.health(), { timeout: 15_000 });
    expect((await registry.findByKey('a-key'))?.id).toBe('a');
    expect(await registry.findByKey('stranger')).toBeNull();
  });

  it('treats an app that cannot be read as one that is not there, and names it', async () => {
    const { registry, write, lines } = await started({ inlineApps: [record('a'), record('b')] });
    await write(`policy = '{"limits":{"max_connections":"many"}}' where id = 'a'`);
    clock.pass(300);
    expect(await registry.findByKey('a-key')).toBeNull();
    expect((await registry.findByKey('b-key'))?.id).toBe('b');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^error .*"app_id":"a".*policy\.limits\.max_connections/);
    expect(lines.join()).not.toMatch(/a-key|a-secret/);
  });

  it('does not write inline apps that stand there already, so the others learn of nothing', async () => {
    const apps = [record('a', { region: 'eu', policy: { future: [1] } })];
    const { registry, database, name } = await started({ inlineApps: apps });
    const stamp = async () =>
      (await database.query(`select updated_at from ${name}`)).rows[0]?.['updated_at'];
    const before = await stamp();
    await registry.start();
    expect(await stamp()).toEqual(before);
  });
});
