import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { answers, isStarting } from '../control/readiness.js';
import { freePort } from './bench-process.js';

/** @type {import('node:http').Server[]} */
const servers = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** @param {number} port */
const at = (port) => ({
  host: '127.0.0.1',
  port,
  authority: `127.0.0.1:${port}`,
  path: '/x',
  credentials: { app: '', key: '', secret: '' },
});

/** @param {import('node:http').RequestListener} listener */
async function serve(listener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const address = server.address();
  return at(address !== null && typeof address === 'object' ? address.port : 0);
}

/** @param {number} status */
const serveStatus = (status) => serve((_, response) => response.writeHead(status).end());

describe('readiness', () => {
  it('is not reached while the server answers 503', async () => {
    const starting = await serveStatus(503);
    expect(await answers(starting)).toBe(true);
    expect(await isStarting(starting)).toBe(true);
  });

  it('is reached with any other answer, and with none', async () => {
    for (const status of [200, 404, 500]) expect(await isStarting(await serveStatus(status))).toBe(false);
    expect(await isStarting(await serve(() => {}))).toBe(false);
    expect(await isStarting(await serve((request) => request.socket.destroy()))).toBe(false);
  });

  it('needs something that listens', async () => {
    expect(await answers(at(await freePort()))).toBe(false);
  });
});
