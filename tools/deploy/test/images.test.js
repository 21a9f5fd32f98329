import { PROCESS_ENV } from '@carillon/testing';
import { engine } from '@carillon/test-backends';
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fetched, FETCHING_MS, ROOT, run } from './tools.js';

const DOCKERFILE = readFileSync(join(ROOT, 'deploy/docker/Dockerfile'), 'utf8');
/** The command is a package, not an image. */
const APPS = readdirSync(join(ROOT, 'apps')).filter(
  (app) => app !== 'cli' && existsSync(join(ROOT, 'apps', app, 'package.json')),
);
/** A layout takes some seconds to install: one tree of all apps shows what each needs; the proof makes every image's. */
const MADE = [APPS, ...(process.env.CARILLON_PROOF === 'true' ? APPS.map((app) => [app]) : [])].map(
  (apps) => ({
    name: apps.length === 1 ? apps[0] : 'all apps',
    apps,
  }),
);
const NOBODY = 1000;
const MAKING_MS = 300_000;
const STARTING_MS = 60_000;

/** What a program says until it ends. @param {string} command @param {string[]} args @param {import('node:child_process').SpawnOptions} options */
function begin(command, args, options = {}) {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  /** @type {((text: string) => void)[]} */
  const waiting = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (text) => {
      output += text;
      for (const look of waiting) look(output);
    });
  }
  const ended = new Promise((done) => void child.once('close', done));
  /** @param {RegExp} words */
  const says = (words) =>
    new Promise((done, failed) => {
      const look = (/** @type {string} */ text) => void (words.test(text) && done(text));
      waiting.push(look);
      look(output);
      void ended.then((code) => failed(new Error(`ended with ${String(code)}: ${output}`)));
    });
  return { child, ended, says, output: () => output };
}

describe('the Dockerfile', () => {
  beforeAll(fetched, FETCHING_MS);

  it('passes the linter', async () => {
    const { code, out } = await run('hadolint', 'deploy/docker/Dockerfile');
    expect([code, out]).toEqual([0, '']);
  });

  it.each(APPS)('has a target for %s, made by the script that is tested here', (app) => {
    expect(DOCKERFILE).toContain(
      `FROM build AS layout-${app}\nRUN node deploy/docker/layout.js ${app} /image "\${DRIVERS}"\n`,
    );
    expect(DOCKERFILE).toContain(`FROM base AS ${app}\nCOPY --from=layout-${app} /image /app\n`);
  });

  it('runs as nobody special, on the ports of the service, with its probe', () => {
    for (const line of ['USER 1000:1000', 'EXPOSE 6001 9601', 'CMD ["--config", "/app/config/config.json"]'])
      expect(DOCKERFILE).toContain(line);
    expect(DOCKERFILE).toMatch(/HEALTHCHECK --interval=30s --timeout=10s --start-period=30s --retries=3/);
  });

  it('takes the official native server only under the hash it is given', async () => {
    const script = ['deploy/docker/native-server.js', 'official'];
    for (const args of [[], ['v20.57.0'], ['v20.57.0', 'abc'], ['main', 'a'.repeat(64)]]) {
      const { ended, output } = begin(process.execPath, [...script, ...args], { cwd: ROOT });
      expect(await ended).toBe(1);
      expect(output()).toContain('UWS=official needs UWS_VERSION');
    }
  });
});

it('the health check of an image goes by what /up answers', async () => {
  let status = 200;
  const server = createServer((_request, response) => response.writeHead(status).end());
  await new Promise((listening) => void server.listen(0, '127.0.0.1', () => listening(undefined)));
  const { port } = server.address();
  const check = () =>
    begin(process.execPath, ['deploy/docker/health.js'], { cwd: ROOT, env: { PORT: String(port) } }).ended;
  expect(await check()).toBe(0);
  status = 503;
  expect(await check()).toBe(1);
  server.close();
  expect(await check()).toBe(1);
});

/** What the sample configuration of a fleet leaves to the environment, with engines in the places it names. */
async function fleet() {
  const [database, { url: redis }, { url: nats }] = await Promise.all([
    engine('postgres').then((one) => one.isolate()),
    engine('redis'),
    engine('nats'),
  ]);
  const { hostname, port, username, password, pathname } = new URL(database.url);
  const env = {
    PATH: process.env.PATH,
    ...PROCESS_ENV,
    SERVICE_DEFAULT_APP_ID: '1',
    SERVICE_DEFAULT_APP_KEY: 'key',
    SERVICE_DEFAULT_APP_SECRET: 'secret',
    NATS_SERVERS: nats,
    REDIS_URL: redis,
    POSTGRES_PASSWORD: decodeURIComponent(password),
    DATABASE_POSTGRES_HOST: hostname,
    DATABASE_POSTGRES_PORT: port,
    DATABASE_POSTGRES_USERNAME: decodeURIComponent(username),
    DATABASE_POSTGRES_PASSWORD: decodeURIComponent(password),
    DATABASE_POSTGRES_DATABASE: pathname.slice(1),
  };
  return { env, end: database.end };
}

/** What the environment of one process has besides. @type {Record<string, Record<string, string>>} */
const OWN = {
  api: { SERVICE_SERVER_ROLE: 'api' },
  ingest: {
    INGEST_SOURCES_JSON: '[{"name":"orders","type":"postgres","app":"1","url":"postgres://reader@db/shop"}]',
  },
  'mcp-gateway': { SERVICE_SERVER_ROLE: 'api', MCP_ENABLED: 'true', MCP_TOKEN: 't'.repeat(32) },
};

describe.each(MADE)('the layout of $name', ({ apps }) => {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-image-'));
  const image = join(folder, 'app');
  /** @type {Awaited<ReturnType<typeof fleet>>} */
  let places;
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await places.end();
  });

  beforeAll(async () => {
    places = await fleet();
    const args = ['deploy/docker/layout.js', apps.join(','), image];
    const { ended, output } = begin(process.execPath, args, { cwd: ROOT });
    expect([await ended, output()]).toEqual([0, expect.stringContaining('the layout of')]);
    copyFileSync(join(ROOT, 'deploy/compose/carillon.toml'), join(image, 'config/config.toml'));
    // As the image has it: nothing in it can be written by who runs it.
    chmodSync(folder, 0o755);
  }, MAKING_MS);

  it('holds what runs and nothing of tests, tools or other apps', () => {
    expect(readdirSync(join(image, 'apps')).sort()).toEqual([...apps].sort());
    expect(existsSync(join(image, 'tools'))).toBe(false);
    expect(existsSync(join(image, 'node_modules/vitest'))).toBe(false);
    expect(existsSync(join(image, 'main.js'))).toBe(apps.length === 1);
    const files = readdirSync(join(image, 'libs'), { recursive: true }).map(String);
    expect(files.filter((file) => file.includes('dist/test'))).toEqual([]);
    const natives = readdirSync(join(image, 'node_modules/uWebSockets.js')).filter((name) =>
      name.endsWith('.node'),
    );
    expect(natives).toHaveLength(1);
    expect(statSync(join(image, 'package.json')).mode & 0o022).toBe(0);
  });

  it('lists every package it ships', () => {
    const { components } = JSON.parse(readFileSync(join(image, 'sbom.json'), 'utf8'));
    const names = components.map((/** @type {{ name: string }} */ one) => one.name);
    expect(names).toEqual(expect.arrayContaining(['@nestjs/core', 'uwebsockets']));
  });

  it.each(apps)(
    'starts %s with the sample configuration, as a user who can write nowhere but in the folder for temporary files',
    async (app) => {
      const isRoot = process.getuid?.() === 0;
      const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
      const main = join(image, apps.length === 1 ? 'main.js' : `apps/${app}/dist/src/main.js`);
      const args = [main, '--config', join(image, 'config/config.toml')];
      const env = { ...places.env, ...OWN[app] };
      const node = begin(process.execPath, args, { cwd: image, env, ...user });
      const said = await node.says(/"message":"ready"/);
      const [, address] = /"listening":"(http:[^"]+)"/.exec(said) ?? [];
      const answer = await fetch(`${address}/live`);
      expect([answer.status, await answer.text()]).toEqual([200, 'OK']);
      node.child.kill('SIGTERM');
      expect(await node.ended).toBe(0);
    },
    STARTING_MS,
  );
});
