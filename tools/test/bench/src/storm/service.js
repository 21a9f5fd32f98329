// The service of the storm: processes of its own on free ports, which end with the bench.
import { spawn } from 'node:child_process';
import { request, Agent } from 'node:http';
import { fileURLToPath } from 'node:url';
import { engine } from '@carillon/test-backends';
import { remember } from '../../control/children.js';
import { signedPost } from '../../load/sign.js';
import { BenchError } from '../../settings/bench-error.js';
import { postgresEnv, processEnv } from '../../settings/process-env.js';

const CREDENTIALS = { app: 'storm', key: 'storm-key', secret: 'storm-secret' };
const START_TIMEOUT_MS = 60_000;

/** @typedef {Awaited<ReturnType<typeof startService>>} Service */

/** @typedef {{ gateways: number, isKept: boolean, isRecovered: boolean }} ServiceSetting */

/**
 * One server, which needs nothing, or gateways beside each other over Redis; with a history in PostgreSQL, if channels are kept.
 * @param {ServiceSetting} setting
 */
export async function startService({ gateways, isKept, isRecovered }) {
  /** @type {(() => Promise<void>)[]} */
  const ends = [];
  const env = {
    CONNECTION_RECOVERY_ENABLED: String(isRecovered),
    ...(gateways > 1 ? await overRedis(ends) : {}),
    ...(isKept ? await withHistory(ends) : {}),
  };
  const app = gateways > 1 ? 'gateway' : 'server';
  const writers = isKept && gateways > 1 ? [startProcess('history-writer', env)] : [];
  const children = Array.from({ length: gateways }, () => startProcess(app, env));
  const ports = await Promise.all(children.map(portOf));
  await Promise.all(writers.map(portOf));
  const all = [...children, ...writers];
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  let turn = 0;
  return {
    ports,
    key: CREDENTIALS.key,
    pids: all.map(({ pid }) => pid ?? 0),
    /** @param {string} channel @param {string} data @returns {Promise<void>} */
    publish: (channel, data) => {
      turn += 1;
      return post(agent, ports[turn % ports.length] ?? 0, JSON.stringify({ name: 'news', channel, data }));
    },
    stop: async () => {
      agent.destroy();
      for (const child of all) child.kill('SIGKILL');
      for (const end of ends) await end();
    },
  };
}

/** @param {(() => Promise<void>)[]} ends @returns {Promise<Record<string, string>>} */
async function overRedis(ends) {
  const redis = await engine('redis', { own: true });
  ends.push(() => redis.release());
  return { ADAPTER_DRIVER: 'redis', CACHE_DRIVER: 'redis', QUEUE_DRIVER: 'redis', REDIS_URL: redis.url };
}

/** @param {(() => Promise<void>)[]} ends @returns {Promise<Record<string, string>>} */
async function withHistory(ends) {
  const corner = await (await engine('postgres')).isolate();
  ends.push(() => corner.end());
  return {
    HISTORY_ENABLED: 'true',
    HISTORY_BACKEND: 'postgres',
    ...postgresEnv(corner.url),
  };
}

/** @param {'gateway' | 'history-writer' | 'server'} app @param {Record<string, string>} env */
function startProcess(app, env) {
  const main = fileURLToPath(new URL(`../../../../../apps/${app}/dist/src/main.js`, import.meta.url));
  const child = spawn(process.execPath, [main], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      ...processEnv({ ...CREDENTIALS, appId: CREDENTIALS.app }),
      ...env,
    },
  });
  remember(child, () => child.kill('SIGKILL'));
  return child;
}

/** @param {Agent} agent @param {number} port @param {string} body @returns {Promise<void>} */
function post(agent, port, body) {
  return new Promise((done, failed) => {
    const now = Math.floor(Date.now() / 1000);
    const path = signedPost(CREDENTIALS, `/apps/${CREDENTIALS.app}/events`, body, now);
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

/** @param {ReturnType<typeof startProcess>} child */
function portOf(child) {
  return new Promise((/** @type {(port: number) => void} */ done, failed) => {
    const timer = setTimeout(() => failed(new BenchError('a process did not start')), START_TIMEOUT_MS);
    let text = '';
    child.stdout.on('data', (chunk) => {
      // What comes later is of no interest.
      if (text.length < 1_000_000) text += chunk;
      const port = /"message":"ready","listening":"http:\/\/[^"]*?:(\d+)"/.exec(text)?.[1];
      if (port === undefined) return;
      clearTimeout(timer);
      done(Number(port));
    });
    child.once('exit', () => failed(new BenchError('a process ended before it was ready')));
  });
}
