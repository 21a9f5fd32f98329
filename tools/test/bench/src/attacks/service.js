// The service under attack: one server of its own with two apps, on free ports, which ends with the bench.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PROCESS_ENV } from '@carillon/testing';
import { remember } from '../../control/children.js';
import { signedPost } from '../../load/sign.js';
import { BenchError } from '../../settings/bench-error.js';

const START_TIMEOUT_MS = 120_000;
const READY = /"message":"ready","listening":"http:\/\/[^"]*?:(\d+)"/;
const appOf = (/** @type {string} */ id) => ({ id, key: `${id}-key`, secret: `${id}-secret` });

/** @typedef {'attacked' | 'neighbour'} AppName */
/** @typedef {ReturnType<typeof clientOf>} Service */

/** One server with a history in memory, or in the embedded database. @param {{ isEmbedded: boolean }} setting */
export async function startService({ isEmbedded }) {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-attacks-'));
  const file = join(folder, 'config.json');
  const apps = ['attacked', 'neighbour'].map((id) => appOf(id));
  writeFileSync(file, JSON.stringify({ app_manager: { array: { apps } } }));
  const main = fileURLToPath(new URL('../../../../../apps/server/dist/src/main.js', import.meta.url));
  const child = spawn(process.execPath, [main, '--config', file], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      ...PROCESS_ENV,
      STARTUP_TIMEOUT_MS: String(START_TIMEOUT_MS),
      HISTORY_ENABLED: 'true',
      HISTORY_BACKEND: isEmbedded ? 'postgres' : 'memory',
      DATABASE_POSTGRES_EMBEDDED: String(isEmbedded),
      DATABASE_POSTGRES_EMBEDDED_PATH: join(folder, 'data'),
      CONNECTION_RECOVERY_ENABLED: 'true',
      TAG_FILTERING_ENABLED: 'true',
      SERVICE_COMPAT_ENABLED: 'true',
      CONNECTION_RECOVERY_MAX_BUFFER_SIZE: '1000',
    },
  });
  remember(child, () => child.kill('SIGKILL'));
  const port = await portOf(child);
  const stop = () => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  return { port, pid: child.pid ?? 0, stop };
}

/** A publisher for the two apps of a server on this port. @param {number} port */
export function clientOf(port) {
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  return {
    port,
    credentialsOf: (/** @type {AppName} */ name) => appOf(name),
    /** @param {AppName} name @param {string} channel @param {string} data */
    publish: (name, channel, data) => {
      const { id, key, secret } = appOf(name);
      const body = JSON.stringify({ name: 'news', channel, data });
      const now = Math.floor(Date.now() / 1000);
      const path = signedPost({ app: id, key, secret }, `/apps/${id}/events`, body, now);
      return post({ agent, port, path, body });
    },
    end: () => agent.destroy(),
  };
}

/**
 * @param {{ agent: Agent, port: number, path: string, body: string }} what
 * @returns {Promise<void>}
 */
function post({ agent, port, path, body }) {
  return new Promise((done, failed) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const sent = request({ agent, host: '127.0.0.1', port, method: 'POST', path, headers }, (answer) => {
      answer.resume();
      answer.on('end', () => {
        if (answer.statusCode === 200) done();
        else failed(new BenchError(`a publish was answered ${answer.statusCode}`));
      });
    });
    sent.on('error', failed);
    sent.end(body);
  });
}

/** @param {import('node:child_process').ChildProcess} child */
function portOf(child) {
  return new Promise((/** @type {(port: number) => void} */ done, failed) => {
    const timer = setTimeout(() => failed(new BenchError('the server did not start')), START_TIMEOUT_MS);
    let text = '';
    child.stdout?.on('data', (chunk) => {
      // Later output is not used.
      if (text.length < 1_000_000) text += chunk;
      const port = READY.exec(text)?.[1];
      if (port === undefined) return;
      clearTimeout(timer);
      done(Number(port));
    });
    child.once('exit', () =>
      failed(new BenchError(`the server ended before it was ready: ${text.slice(-2000)}`)),
    );
  });
}
