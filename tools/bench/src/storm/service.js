// The server of the storm: one process of its own on a free port, which ends with the bench.
import { spawn } from 'node:child_process';
import { request, Agent } from 'node:http';
import { fileURLToPath } from 'node:url';
import { remember } from '../../control/children.js';
import { signedPost } from '../../load/sign.js';
import { BenchError } from '../../settings/bench-error.js';

const MAIN = fileURLToPath(new URL('../../../../apps/server/dist/src/main.js', import.meta.url));
const CREDENTIALS = { app: 'storm', key: 'storm-key', secret: 'storm-secret' };
const START_TIMEOUT_MS = 60_000;

/** @typedef {Awaited<ReturnType<typeof startService>>} Service */

/** @param {Record<string, string>} env */
export async function startService(env) {
  const child = spawn(process.execPath, [MAIN], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      ENVIRONMENT: 'test',
      HOST: '127.0.0.1',
      PORT: '0',
      METRICS_ENABLED: 'false',
      LOG_OUTPUT_FORMAT: 'json',
      SHUTDOWN_GRACE_PERIOD: '0',
      SERVICE_DEFAULT_APP_ID: CREDENTIALS.app,
      SERVICE_DEFAULT_APP_KEY: CREDENTIALS.key,
      SERVICE_DEFAULT_APP_SECRET: CREDENTIALS.secret,
      ...env,
    },
  });
  remember(child, () => child.kill('SIGKILL'));
  const port = await portOf(child);
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  return {
    port,
    key: CREDENTIALS.key,
    pid: child.pid ?? 0,
    /** @param {string} channel @param {string} data @returns {Promise<void>} */
    publish: (channel, data) =>
      new Promise((done, failed) => {
        const body = JSON.stringify({ name: 'news', channel, data });
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
      }),
    stop: () => {
      agent.destroy();
      child.kill('SIGKILL');
    },
  };
}

/** @param {import('node:child_process').ChildProcessByStdio<null, import('node:stream').Readable, null>} child */
function portOf(child) {
  return new Promise((/** @type {(port: number) => void} */ done, failed) => {
    const timer = setTimeout(() => failed(new BenchError('the server did not start')), START_TIMEOUT_MS);
    let text = '';
    child.stdout.on('data', (chunk) => {
      // What comes later is of no interest.
      if (text.length < 1_000_000) text += chunk;
      const port = /"message":"ready","listening":"http:\/\/[^"]*?:(\d+)"/.exec(text)?.[1];
      if (port === undefined) return;
      clearTimeout(timer);
      done(Number(port));
    });
    child.once('exit', () => failed(new BenchError('the server ended before it was ready')));
  });
}
