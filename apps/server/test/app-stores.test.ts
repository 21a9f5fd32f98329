import { randomUUID } from 'node:crypto';
import { configure } from '@carillon/config';
import { Databases, type Database, type SqlDialect } from '@carillon/database';
import { engine } from '@carillon/test-backends';
import { createParts } from '@carillon/runtime';
import { freePort } from '@carillon/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type RunningServer, runServer, startServer } from './running-server.js';

/** The settings that lead to a database. */
function settings(driver: SqlDialect, url: string): Record<string, string> {
  const { hostname, port, username, password, pathname } = new URL(url);
  const prefix = `DATABASE_${driver.toUpperCase()}`;
  return {
    APP_MANAGER_DRIVER: driver,
    HEALTH_CHECK_CACHE_MS: '0',
    [`${prefix}_HOST`]: hostname,
    [`${prefix}_PORT`]: port,
    [`${prefix}_USERNAME`]: username,
    [`${prefix}_PASSWORD`]: password,
    [`${prefix}_DATABASE`]: pathname.slice(1),
  };
}

/** An empty database, the settings that lead to it, and a way for others to write there. */
async function corner(driver: SqlDialect) {
  const { url, end } = await (await engine(driver === 'mysql' ? 'mariadb' : driver)).isolate();
  const env = settings(driver, url);
  const outcome = configure({
    process: 'server',
    argv: [],
    env: { RUST_LOG: 'off', ...env },
    cwd: '/nowhere',
  });
  if (outcome.kind === 'exit') throw new Error(outcome.stderr);
  const database = new Databases(createParts(outcome.config)).use(driver);
  await database.connect();
  onTestFinished(async () => {
    await database.close();
    await end();
  });
  return { env, database };
}

async function started(env: Record<string, string>): Promise<RunningServer> {
  const server = await startServer(env);
  onTestFinished(async () => void (await server.process.kill()));
  return server;
}

const appsOf = (driver: SqlDialect): string =>
  driver === 'postgres' ? 'service.applications' : 'applications';

const insert = (database: Database, driver: SqlDialect, id: string, enabled: boolean) =>
  database.query(
    `insert into ${appsOf(driver)} (id, ${driver === 'postgres' ? '"key"' : '`key`'}, secret, enabled)
     values ('${id}', '${id}-key', '${id}-secret', ${enabled})`,
  );

describe.each(['postgres', 'mysql'] as const)('a server whose apps are in %s', (driver) => {
  it('starts beside others at once, and finds the apps of the configuration and of the table', async () => {
    const { env, database } = await corner(driver);
    const servers = await Promise.all([started(env), started(env), started(env)]);
    await insert(database, driver, 'late', true);
    await insert(database, driver, 'off', false);
    for (const { request } of servers) {
      expect((await request('/up/shop')).status).toBe(200);
      expect((await request('/up/late')).status).toBe(200);
      expect((await request('/up/off')).status).toBe(503);
      expect((await request('/up/none')).status).toBe(404);
    }
    expect((await database.query(`select id from ${appsOf(driver)}`)).rows).toHaveLength(3);
  });

  it('does not start without its database, and says so without a secret', async () => {
    const port = await freePort();
    const url = `${driver}://someone:hush@127.0.0.1:${port}/service`;
    const server = runServer([], { ...settings(driver, url), STARTUP_TIMEOUT_MS: '1000' });
    expect(await new Promise((done) => server.child.once('close', done))).toBe(1);
    expect(server.output).toMatch(
      new RegExp(`not connected within 1000 ms: ${driver} database .*app manager`),
    );
    expect(server.output).not.toMatch(/hush|shop-secret|shop-key/);
  });
});

it('servers whose apps are in SurrealDB find those of the configuration, and those another server wrote', async () => {
  const { url, name } = await (await engine('surrealdb')).isolate();
  const env = {
    APP_MANAGER_DRIVER: 'surrealdb',
    DATABASE_SURREALDB_URL: url,
    DATABASE_SURREALDB_DATABASE: name,
  };
  const one = await started(env);
  const other = await started({ ...env, APP_MANAGER_REGISTER_INLINE_APPS: 'false' });
  for (const { request } of [one, other]) {
    expect((await request('/up/shop')).status).toBe(200);
    expect((await request('/up/none')).status).toBe(404);
  }
  const rejected = runServer([], {
    ...env,
    DATABASE_SURREALDB_PASSWORD: 'hush',
    STARTUP_TIMEOUT_MS: '1000',
  });
  expect(await new Promise((done) => rejected.child.once('close', done))).toBe(1);
  expect(rejected.output).toMatch(/rejected user .*root.*; check database\.surrealdb\.username/);
  expect(rejected.output).not.toContain('hush');
});

it('servers whose apps are in DynamoDB find those of the configuration, and each what another wrote', async () => {
  const { url, name } = await (await engine('moto')).isolate();
  const env = {
    APP_MANAGER_DRIVER: 'dynamodb',
    DATABASE_DYNAMODB_ENDPOINT_URL: url,
    DATABASE_DYNAMODB_TABLE_NAME: name,
    AWS_ACCESS_KEY_ID: 'carillon',
    AWS_SECRET_ACCESS_KEY: 'hush',
  };
  const one = await started(env);
  const other = await started({ ...env, APP_MANAGER_REGISTER_INLINE_APPS: 'false' });
  for (const { request } of [one, other]) {
    expect((await request('/up/shop')).status).toBe(200);
    expect((await request('/up/none')).status).toBe(404);
  }
  expect(one.process.output).not.toContain('hush');
});

it('a server opens the history of an app in its table when it starts, not with the first publish', async () => {
  const { env, database } = await corner('postgres');
  await started(env);
  const there = async () =>
    (await database.query(`select to_regclass('service.service_history_meta') is not null as there`))
      .rows[0]?.['there'];
  expect(await there()).toBe(false);
  const policy = JSON.stringify({ history: { enabled: true } });
  await database.query(
    `insert into service.applications (id, "key", secret, enabled, policy)
     values ('late', 'late-key', 'late-secret', true, '${policy}')`,
  );
  await started({ ...env, QUEUE_DRIVER: 'none' });
  await vi.waitFor(async () => expect(await there()).toBe(true), { timeout: 20_000, interval: 50 });
});

describe('servers that share a cache', () => {
  it('find there what one of them read from the store', async () => {
    const { env, database } = await corner('postgres');
    const { url } = await engine('redis');
    const shared = {
      ...env,
      CACHE_DRIVER: 'redis',
      REDIS_URL: url,
      DATABASE_REDIS_KEY_PREFIX: `${randomUUID()}:`,
    };
    const [one, two, apart] = await Promise.all([started(shared), started(shared), started(env)]);
    await insert(database, 'postgres', 'late', true);
    expect((await one.request('/up/late')).status).toBe(200);
    await database.query(`delete from service.applications where id = 'late'`);
    expect((await two.request('/up/late')).status).toBe(200);
    expect((await apart.request('/up/late')).status).toBe(404);
  });
});
