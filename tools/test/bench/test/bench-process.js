// Runs the bench as a person would.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';

const BENCH = fileURLToPath(new URL('..', import.meta.url));
const FLOOR = fileURLToPath(new URL('../floor.js', import.meta.url));

/** A port that was free a moment ago. @returns {Promise<number>} */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return address !== null && typeof address === 'object' ? address.port : 0;
}

/** Starts `node tools/test/bench …` and gathers what it prints. @param {string[]} args */
export function startBench(args) {
  const child = spawn(process.execPath, [BENCH, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const printed = { out: '', error: '' };
  child.stdout.on('data', (text) => {
    printed.out += text;
  });
  child.stderr.on('data', (text) => {
    printed.error += text;
  });
  const ended = once(child, 'close').then(([code]) => ({ code: /** @type {number} */ (code), ...printed }));
  return { child, ended, printed };
}

/** Runs it to its end. @param {string[]} args */
export const bench = (args) => startBench(args).ended;

/** The arguments that make a second floor the target. @param {number} port */
export const againstFloor = (port) => [
  '--spawn',
  `"${process.execPath}" "${FLOOR}" --port ${port}`,
  '--url',
  `http://127.0.0.1:${port}/hello`,
  '--app',
  'a',
  '--key',
  'k',
  '--secret',
  'top-secret-of-the-app',
];
