import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fetched, FETCHING_MS, ROOT, run } from './tools.js';

const DOCKERFILE = readFileSync(join(ROOT, 'deploy/docker/Dockerfile'), 'utf8');
const APPS = readdirSync(join(ROOT, 'apps')).filter((app) =>
  existsSync(join(ROOT, 'apps', app, 'package.json')),
);
/** Each layout takes some seconds to install: the proof makes all of them. */
const MADE = process.env.CARILLON_PROOF === 'true' ? APPS : ['gateway'];
const NOBODY = 1000;
const MAKING_MS = 180_000;

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
      `FROM build AS layout-${app}\nRUN node deploy/docker/layout.js ${app} /image\n`,
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

describe.each(MADE)('the layout of %s', (app) => {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-image-'));
  const image = join(folder, 'app');
  afterAll(() => rmSync(folder, { recursive: true }));

  beforeAll(async () => {
    const { ended, output } = begin(process.execPath, ['deploy/docker/layout.js', app, image], { cwd: ROOT });
    expect([await ended, output()]).toEqual([0, expect.stringContaining('the layout of')]);
    // As the image has it: nothing in it can be written by who runs it.
    chmodSync(folder, 0o755);
  }, MAKING_MS);

  it('holds what runs and nothing of tests, tools or other apps', () => {
    expect(readdirSync(join(image, 'apps'))).toEqual([app]);
    expect(existsSync(join(image, 'tools'))).toBe(false);
    expect(existsSync(join(image, 'node_modules/vitest'))).toBe(false);
    const files = readdirSync(join(image, 'libs'), { recursive: true }).map(String);
    expect(files.filter((file) => file.includes('dist/test'))).toEqual([]);
    const natives = readdirSync(join(image, 'node_modules/uWebSockets.js')).filter((name) =>
      name.endsWith('.node'),
    );
    expect(natives).toHaveLength(1);
    expect(statSync(join(image, 'main.js')).mode & 0o022).toBe(0);
  });

  it('lists every package it ships', () => {
    const { components } = JSON.parse(readFileSync(join(image, 'sbom.json'), 'utf8'));
    const names = components.map((/** @type {{ name: string }} */ one) => one.name);
    expect(names).toEqual(expect.arrayContaining(['@nestjs/core', 'uwebsockets']));
  });

  it('starts as an unprivileged user who can write nowhere but in the folder for temporary files', async () => {
    const isRoot = process.getuid?.() === 0;
    const env = {
      PATH: process.env.PATH,
      ENVIRONMENT: 'test',
      HOST: '127.0.0.1',
      PORT: '0',
      METRICS_HOST: '127.0.0.1',
      METRICS_PORT: '0',
      LOG_OUTPUT_FORMAT: 'json',
      SHUTDOWN_GRACE_PERIOD: '0',
    };
    const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
    const node = begin(process.execPath, [join(image, 'main.js')], { cwd: image, env, ...user });
    const words = ['gateway', 'server'].includes(app) ? /"message":"ready"/ : /needs|must|not be|refused/;
    if (words.test('"message":"ready"')) {
      await node.says(words);
      node.child.kill('SIGTERM');
      expect(await node.ended).toBe(0);
    } else {
      // A worker without a broker says what it misses instead of starting.
      expect(await node.ended).toBe(78);
    }
  });
});
