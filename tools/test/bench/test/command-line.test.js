import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createConnection } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { readTree } from '../measure/proc-tree.js';
import { againstFloor, bench, freePort, startBench } from './bench-process.js';

const SHORT = [
  '--connections',
  '4',
  '--duration',
  '0.5',
  '--warmup',
  '0',
  '--rounds',
  '2',
  '--load-processes',
  '1',
];

/** @type {import('node:http').Server[]} */
const servers = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

/** @param {import('node:http').RequestListener} listener @returns {Promise<string>} its address */
async function serve(listener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const address = server.address();
  return `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}/x`;
}

/** @param {number} port @returns {Promise<boolean>} */
const listens = (port) =>
  new Promise((done) => {
    const socket = createConnection({ host: '127.0.0.1', port });
    socket.once('connect', () => done(true)).once('error', () => done(false));
    socket.once('connect', () => socket.destroy());
  });

/** Whether a process is there and not just waiting to be collected. @param {number} pid */
function runs(pid) {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}

describe('the command', () => {
  it('refuses to load another machine', async () => {
    const { code, error } = await bench(['http', '--url', 'http://192.0.2.1/']);
    expect(code).toBe(2);
    expect(error).toContain('only loads this machine');
  });

  it('measures any HTTP server, without CPU columns when it is not told the process', async () => {
    const url = await serve((_, response) => response.end('hello'));
    const { code, out } = await bench(['http', '--url', url, ...SHORT]);
    expect(code).toBe(0);
    expect(out).toMatch(/requests per second +\d+ +\d+\n/);
    expect(out).toMatch(/CPU µs per request +– +[\d.]+ +–\n/);
  });

  it('says what the server answered when it refuses the load', async () => {
    const url = await serve((_, response) =>
      response.writeHead(401, { 'content-length': 22 }).end('{"code":"auth_failed"}'),
    );
    const { code, out, error } = await bench([
      'publish',
      '--url',
      url,
      '--app',
      'a',
      '--key',
      'k',
      '--secret',
      's',
    ]);
    expect(code).toBe(1);
    expect(out).toBe('');
    expect(error).toContain('401 {"code":"auth_failed"}');
  });

  it('says when nothing is there to measure', async () => {
    const url = `http://127.0.0.1:${await freePort()}/`;
    expect((await bench(['http', '--url', url])).error).toContain('nothing answers at');
    const spawned = await bench(['http', '--url', url, '--spawn', 'exit 0']);
    expect(spawned.error).toContain('the command ended before');
    expect(spawned.code).toBe(1);
  });

  it('gives up at its time limit, whatever the server does', async () => {
    const url = await serve(() => {});
    const { code, error } = await bench(['http', '--url', url, ...SHORT, '--time-limit', '5']);
    expect(code).toBe(1);
    expect(error).toContain('given up after 5 s');
  });

  it('judges by the ratio it was given', async () => {
    const { code, error } = await bench([
      'http',
      ...againstFloor(await freePort()),
      ...SHORT,
      '--max-ratio',
      '0.01',
    ]);
    expect(error).toContain('at most 0.01 wanted');
    expect(code).toBe(3);
  });

  it('leaves no process behind when it is interrupted', async () => {
    const port = await freePort();
    const { child, ended, printed } = startBench([
      'fanout',
      ...againstFloor(port),
      ...SHORT,
      '--duration',
      '20',
    ]);
    while (!printed.error.includes('round 1')) await once(child.stderr, 'data');
    while (!(await listens(port)));
    const pids = readTree(child.pid ?? 0)?.pids ?? [];
    expect(pids.length).toBeGreaterThanOrEqual(3);
    child.kill('SIGINT');
    expect((await ended).code).toBe(130);
    // A killed process needs a moment to go; one that stays runs the test into its time limit.
    while (pids.some(runs)) await sleep(20);
    expect(await listens(port)).toBe(false);
  });
});
