// node tools/test/fleet/dist/src/measured/main.js --port N: two gateways over NATS and Redis on N and N+1, and the same
// service as one process on N+2, to be loaded by the bench. They end with this process, and take its Node options.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { sleep, until } from '../wait.js';

const ENGINES_WITHIN_MS = 60_000;
/** From the port of a process to that of its metrics. */
const METRICS_AWAY = 10;
/** So that processes do not start all at once on a small machine, and the last is the one the bench waits for. */
const APART_MS = 1500;

const { values } = parseArgs({
  options: {
    port: { type: 'string' },
    app: { type: 'string', default: 'bench' },
    key: { type: 'string', default: 'bench-key' },
    secret: { type: 'string', default: 'bench-secret' },
  },
});
const port = Number(values.port);
const { app: id, key, secret } = values;

const folder = mkdtempSync(join(tmpdir(), 'carillon-measured-'));
const inFolder = (name: string): string => join(folder, name);
const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

/** The engines are no children of this process: what a broker costs is not what a node costs. */
async function engines(): Promise<{ readonly nats: string; readonly redis: string }> {
  const said = inFolder('engines');
  writeFileSync(said, '');
  const script = `"$0" "$1" "$2" > "$3" 2>&1 < /dev/null &`;
  const args = ['-c', script, process.execPath, here('engines.js'), String(process.pid), said];
  await once(spawn('sh', args, { stdio: 'ignore', detached: true }), 'exit');
  const text = (): string => readFileSync(said, 'utf8');
  if (!(await until(() => /^\{.*\}\n$/.test(text()), ENGINES_WITHIN_MS))) {
    throw new Error(`no engines: ${text()}`);
  }
  return JSON.parse(text()) as { nats: string; redis: string };
}

function start(app: 'gateway' | 'server', at: number, config: object): void {
  const file = inFolder(`${at}.json`);
  const apps = [{ id, key, secret, enabled: true, policy: {} }];
  writeFileSync(file, JSON.stringify({ ...config, app_manager: { array: { apps } } }));
  const main = here(`../../../../../../apps/${app}/dist/src/main.js`);
  const child = spawn(process.execPath, [...process.execArgv, main, '--config', file], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      HOST: '127.0.0.1',
      PORT: String(at),
      METRICS_HOST: '127.0.0.1',
      METRICS_PORT: String(at + METRICS_AWAY),
      SHUTDOWN_GRACE_PERIOD: '0',
      RUST_LOG: 'error',
    },
  });
  child.once('exit', (code) => process.exit(code ?? 1));
  process.on('exit', () => child.kill());
}

const { nats, redis } = await engines();
const beside = {
  adapter: { driver: 'nats', nats: { servers: [nats] } },
  cache: { driver: 'redis', redis: { url_override: redis } },
};
process.stderr.write(`measured: redis at ${redis}\n`);
start('server', port + 2, {});
await sleep(APART_MS);
start('gateway', port + 1, beside);
await sleep(APART_MS);
start('gateway', port, beside);
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(0));
