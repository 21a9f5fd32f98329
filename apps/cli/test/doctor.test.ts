import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer, connect, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { installationId } from '@carillon/cache';
import { engine } from '@carillon/test-backends';
import { configuration, freePort } from '@carillon/testing';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { emptyFolder, runCommand, type CommandOptions } from './run-command.js';

interface Check {
  readonly id: string;
  readonly status: string;
  readonly message: string;
  readonly cure?: string;
  readonly facts?: Readonly<Record<string, unknown>>;
}

const QUIET = {
  ENVIRONMENT: 'test',
  PORT: '0',
  METRICS_ENABLED: 'false',
  SERVICE_DEFAULT_APP_ID: 'shop',
  SERVICE_DEFAULT_APP_KEY: 'k',
  SERVICE_DEFAULT_APP_SECRET: 'app-secret-text',
};

async function doctor(env: Readonly<Record<string, string>>, more: CommandOptions = {}) {
  const { code, stdout, stderr } = await runCommand(['doctor', '--json'], {
    ...more,
    env: { ...QUIET, ...env },
  });
  const { checks } = JSON.parse(stdout || '{}') as { checks: readonly Check[] };
  const errors = checks.filter(({ status }) => status === 'error');
  return { code, errors, checks, output: stdout + stderr };
}

/** The only error, with its message and cure in one text. */
function onlyError({ errors }: { errors: readonly Check[] }, id: string): string {
  expect(errors.map((check) => check.id)).toEqual([id]);
  return `${errors[0]?.message} ${errors[0]?.cure}`;
}

function postgresEnv(url: string, more: Record<string, string> = {}): Record<string, string> {
  const { hostname, port, username, password, pathname } = new URL(url);
  return {
    ENVIRONMENT: 'test',
    APP_MANAGER_DRIVER: 'postgres',
    DATABASE_POSTGRES_HOST: hostname,
    DATABASE_POSTGRES_PORT: port,
    DATABASE_POSTGRES_USERNAME: username,
    DATABASE_POSTGRES_PASSWORD: password,
    DATABASE_POSTGRES_DATABASE: pathname.slice(1),
    ...more,
  };
}

async function database() {
  const { url, end } = await (await engine('postgres')).isolate();
  onTestFinished(async () => void (await end()));
  return url;
}

/** A proxy that changes what the server sends, with texts of the same length. */
async function rewriting(url: string, from: RegExp, to: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const proxy = createServer((socket) => {
    const server = connect(Number(port), hostname);
    const change = new Transform({
      transform: (chunk: Buffer, _encoding, done) =>
        done(null, Buffer.from(chunk.toString('latin1').replace(from, to), 'latin1')),
    });
    socket
      .on('error', () => server.destroy())
      .pipe(server)
      .on('error', () => socket.destroy())
      .pipe(change)
      .pipe(socket);
  });
  await new Promise<void>((ready) => proxy.listen(0, '127.0.0.1', ready));
  onTestFinished(() => void proxy.close());
  const changed = new URL(url);
  changed.port = String((proxy.address() as AddressInfo).port);
  return changed.href;
}

describe('doctor', () => {
  it('reports no error for a healthy installation, and leaves nothing in database and cache', async () => {
    const url = await database();
    const redis = new Redis((await engine('redis')).url);
    afterAll(() => redis.disconnect());
    const prefix = `${randomUUID()}:`;
    const env = postgresEnv(url, {
      CACHE_DRIVER: 'redis',
      REDIS_URL: (await engine('redis')).url,
      DATABASE_REDIS_KEY_PREFIX: prefix,
    });
    const { errors, code, checks } = await doctor({ ...env, ...(await redisEnv()) });
    expect(errors).toEqual([]);
    expect(code).toBe(0);
    expect(checks.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['postgres.write', 'redis.mode', 'prefix.owner', 'clock.skew']),
    );
    expect(await redis.keys(`${prefix}*`)).toEqual([]);
    const client = new Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query(`select nspname from pg_namespace where nspname = 'service'`);
    await client.end();
    expect(rows).toEqual([]);
  });

  it('names user and setting when the password is wrong, and does not print it', async () => {
    const url = await database();
    const found = await doctor(postgresEnv(url, { DATABASE_POSTGRES_PASSWORD: 'wrong-secret' }));
    expect(found.errors[0]?.facts).toMatchObject({ sqlstate: '28P01' });
    const { host, username } = new URL(url);
    const text = onlyError(found, 'postgres.login');
    for (const word of [host, username, 'database.postgres.password']) expect(text).toContain(word);
    expect(found.output).not.toContain('wrong-secret');
    expect(found.output).not.toContain('app-secret-text');
    expect(found.code).toBe(1);
  });

  it('names address and setting when the port is closed', async () => {
    const port = await freePort();
    const text = onlyError(
      await doctor(postgresEnv(`postgres://u:secret@127.0.0.1:${port}/db`)),
      'postgres.reach',
    );
    for (const word of [`127.0.0.1:${port}`, 'refused', 'database.postgres.port'])
      expect(text).toContain(word);
  });

  it('names both versions when PostgreSQL is too old', async () => {
    const url = await rewriting(await database(), /(?<=\D)1[5-9](?=\d{4}\D)/g, '13');
    const text = onlyError(await doctor(postgresEnv(url)), 'postgres.version');
    expect(text).toContain('13');
    expect(text).toContain('15');
  });

  it('names fsync when it is off in production', async () => {
    const env = postgresEnv(await database(), { ENVIRONMENT: 'production', PORT: String(await freePort()) });
    expect(onlyError(await doctor(env), 'postgres.durability')).toContain('fsync');
  });

  it('names the role and a statement when the role lacks CREATE', async () => {
    const url = await database();
    const owner = new Client({ connectionString: url });
    await owner.connect();
    const role = `limited_${randomUUID().slice(0, 8)}`;
    await owner.query(`create role ${role} login password 'role-secret'`);
    await owner.query('revoke create on schema public from public');
    onTestFinished(async () => {
      await owner.query(`drop role ${role}`);
      await owner.end();
    });
    const limited = new URL(url);
    limited.username = role;
    limited.password = 'role-secret';
    const text = onlyError(await doctor(postgresEnv(limited.href)), 'postgres.privileges');
    for (const word of [role, 'CREATE', 'create schema']) expect(text).toContain(word);
  });

  it('names mode, setting and driver when Redis is in cluster mode behind a single-node driver', async () => {
    const { urls } = await engine('redis-cluster');
    const { hostname, port } = new URL(urls[0] ?? '');
    const env = { CACHE_DRIVER: 'redis', DATABASE_REDIS_HOST: hostname, DATABASE_REDIS_PORT: port };
    const text = onlyError(await doctor(env), 'redis.mode');
    for (const word of ['cluster', 'cache.driver', 'redis-cluster']) expect(text).toContain(word);
  });

  it('names the seconds when the clock of this machine is 10 minutes behind', async () => {
    const folder = emptyFolder();
    const behind = join(folder, 'behind.mjs');
    writeFileSync(behind, 'const now = Date.now; Date.now = () => now() - 600_000;\n');
    const found = await doctor(postgresEnv(await database()), { node: ['--import', behind], cwd: folder });
    const text = onlyError(found, 'clock.skew');
    const { skew_seconds: skews } = (found.errors[0]?.facts ?? {}) as { skew_seconds: { postgres: number } };
    expect(Math.abs(skews.postgres - 600)).toBeLessThan(5);
    expect(text).toContain('600 s');
    expect(text).toContain('behind');
  });

  it('names prefix, setting and node when two installations use one key prefix', async () => {
    const redis = new Redis((await engine('redis')).url);
    const prefix = `${randomUUID()}:`;
    const other = installationId(configuration({}));
    const mark = JSON.stringify({
      node_id: 'other-node',
      process: 'server',
      host: 'far',
      version: '1',
      started_at_ms: 1,
    });
    await redis.set(`${prefix}service_cache:installation:${other}:other-node`, mark, 'EX', 30);
    onTestFinished(() => redis.disconnect());
    const text = onlyError(
      await doctor({ CACHE_DRIVER: 'redis', ...(await redisEnv()), DATABASE_REDIS_KEY_PREFIX: prefix }),
      'prefix.owner',
    );
    for (const word of [prefix, 'database.redis.key_prefix', 'other-node']) expect(text).toContain(word);
  });

  it('names the path when the disk of the embedded database does not accept data', async () => {
    const env = { HISTORY_ENABLED: 'true', DATABASE_POSTGRES_EMBEDDED_PATH: '/proc/carillon' };
    const text = onlyError(await doctor(env), 'disk.space');
    expect(text).toContain('/proc/carillon');
    expect(text).toContain('disk');
  });

  it('exits 78 and names both settings when cache.driver is memory beside a broker', async () => {
    const found = await doctor({
      ADAPTER_DRIVER: 'redis',
      CACHE_DRIVER: 'memory',
      HISTORY_ENABLED: 'false',
      ...(await redisEnv()),
    });
    const text = onlyError(found, 'config.cluster');
    for (const word of ['cache.driver', 'memory', 'redis']) expect(text).toContain(word);
    expect(found.code).toBe(78);
  });

  it('names two faults when there are two', async () => {
    const port = await freePort();
    const env = {
      ...postgresEnv(`postgres://u:secret@127.0.0.1:${port}/db`),
      CACHE_DRIVER: 'redis',
      DATABASE_REDIS_PORT: String(await freePort()),
    };
    expect((await doctor(env)).errors.map(({ id }) => id).sort()).toEqual(['postgres.reach', 'redis.reach']);
  });
});

async function redisEnv(): Promise<Record<string, string>> {
  const { hostname, port } = new URL((await engine('redis')).url);
  return { DATABASE_REDIS_HOST: hostname, DATABASE_REDIS_PORT: port };
}
