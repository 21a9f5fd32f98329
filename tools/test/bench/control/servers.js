// The three ways a measured server comes to be: already running, started by a command, or our own floor.
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readTree } from '../measure/proc-tree.js';
import { BenchError } from '../settings/bench-error.js';
import { remember } from './children.js';
import { answers, isStarting } from './readiness.js';

const FLOOR = fileURLToPath(new URL('../floor.js', import.meta.url));
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 10_000;
const POLL_MS = 100;

/**
 * @typedef {object} MeasuredServer
 * @property {string} name
 * @property {boolean} restartable whether stopping and starting gives a fresh process
 * @property {() => Promise<void>} start
 * @property {() => Promise<void>} stop
 * @property {() => number | null} pid null when unknown
 * @property {() => import('../load/model.js').Server} server how to reach it; after `start`
 */

/** A server that runs already. @param {import('../load/model.js').Server} server @param {number | null} pid @returns {MeasuredServer} */
export const runningServer = (server, pid) => ({
  name: 'target',
  restartable: false,
  async start() {
    if (!(await answers(server))) throw new BenchError(`nothing answers at ${server.host}:${server.port}`);
    if (pid !== null && readTree(pid) === null)
      throw new BenchError(`no process ${pid} can be read in /proc`);
  },
  stop: async () => {},
  pid: () => pid,
  server: () => server,
});

/**
 * A server that a shell command starts.
 * @param {import('../load/model.js').Server} server
 * @param {string} command
 * @param {NodeJS.ProcessEnv} env on top of ours
 * @returns {MeasuredServer}
 */
export function spawnedServer(server, command, env) {
  /** @type {import('node:child_process').ChildProcess | null} */
  let child = null;
  return {
    name: 'target',
    restartable: true,
    async start() {
      if (await answers(server))
        throw new BenchError(`port ${server.port} is taken already: --spawn needs it free`);
      // Its own process group: what the command starts can then be ended with it.
      const started = spawn(command, {
        shell: true,
        detached: true,
        stdio: ['ignore', 'ignore', 'inherit'],
        env: { ...process.env, ...env },
      });
      child = started;
      remember(started, () => signalGroup(started, 'SIGKILL'));
      const giveUp = Date.now() + START_TIMEOUT_MS;
      while (!(await answers(server)) || (await isStarting(server))) {
        if (hasEnded(started))
          throw new BenchError(`--spawn: the command ended before port ${server.port} answered`);
        if (Date.now() > giveUp) throw new BenchError(`--spawn: port ${server.port} was not ready in 60 s`);
        await sleep(POLL_MS);
      }
    },
    async stop() {
      if (child !== null) await stopGroup(child, server);
      child = null;
    },
    pid: () => child?.pid ?? null,
    server: () => server,
  };
}

/**
 * The bare native server on a free port.
 * @param {import('../load/model.js').Server} like whose credentials to use
 * @param {boolean} signed whether it checks signatures
 * @param {NodeJS.ProcessEnv} env on top of ours
 * @returns {MeasuredServer}
 */
export function floorServer(like, signed, env) {
  /** @type {import('node:child_process').ChildProcess | null} */
  let child = null;
  let port = 0;
  return {
    name: 'floor',
    restartable: true,
    async start() {
      // In the environment, not among the arguments: those are there for everyone to see.
      const secret = signed ? like.credentials.secret : '';
      const started = fork(FLOOR, {
        env: { ...process.env, ...env, FLOOR_SECRET: secret },
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      });
      child = started;
      remember(started, () => started.kill('SIGKILL'));
      const [message] = await Promise.race([
        once(started, 'message'),
        once(started, 'exit').then(() => [null]),
      ]);
      if (message === null) throw new BenchError('the floor could not start');
      ({ port } = message);
    },
    async stop() {
      if (child === null || hasEnded(child)) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
    pid: () => child?.pid ?? null,
    server: () => ({
      ...like,
      host: '127.0.0.1',
      port,
      otherPort: port,
      singlePort: port,
      redisPort: null,
      authority: `127.0.0.1:${port}`,
      path: '/hello',
    }),
  };
}

/** @param {import('node:child_process').ChildProcess} child */
const hasEnded = (child) => child.exitCode !== null || child.signalCode !== null;

/** @param {import('node:child_process').ChildProcess} child @param {NodeJS.Signals} signal */
function signalGroup(child, signal) {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The whole group has ended.
  }
}

/**
 * Asks the group to end and waits until the port is free, ten seconds at most; what is left is then made to end.
 * @param {import('node:child_process').ChildProcess} child
 * @param {{ host: string, port: number }} address
 */
async function stopGroup(child, address) {
  signalGroup(child, 'SIGTERM');
  const giveUp = Date.now() + STOP_TIMEOUT_MS;
  while ((!hasEnded(child) || (await answers(address))) && Date.now() < giveUp) await sleep(POLL_MS);
  signalGroup(child, 'SIGKILL');
}
