import { connect } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import type { StreamedBody, UwsServer } from '../src/index.js';
import { startBare } from './app.js';

const servers: UwsServer[] = [];
afterEach(() => servers.splice(0).forEach((server) => server.close()));

const FILLER = ' ';

/** A server whose responses are bodies in pieces, and a client that has sent a request and reads nothing. */
async function streamed() {
  const { adapter, server, port } = await startBare();
  servers.push(server);
  const opened = new Promise<StreamedBody>((resolve) => {
    adapter.fastRoute('GET', '/', (_request, response) => {
      const body = response.openBody(FILLER);
      if (body !== null) resolve(body);
    });
  });
  const client = connect(port, '127.0.0.1', () => client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'));
  client.pause();
  return { client, body: await opened };
}

/** The body of a chunked response. */
function unchunked(text: string): string {
  let rest = text.slice(text.indexOf('\r\n\r\n') + 4);
  let body = '';
  for (;;) {
    const end = rest.indexOf('\r\n');
    const size = parseInt(rest.slice(0, end), 16);
    if (!(size > 0)) return body;
    body += rest.slice(end + 2, end + 2 + size);
    rest = rest.slice(end + 2 + size + 2);
  }
}

it('sends everything to a client that reads late, in order', async () => {
  const { client, body } = await streamed();
  const pieces = Array.from({ length: 40 }, (_, n) => String(n % 10).repeat(500_000));
  for (const piece of pieces) body.write(piece);
  expect(body.bufferedBytes).toBeGreaterThan(0);
  const isDrained = new Promise<void>((resolve) => (body.onDrain = resolve));
  let text = '';
  client.setEncoding('latin1').on('data', (more: string) => (text += more));
  client.resume();
  await isDrained;
  expect(body.bufferedBytes).toBe(0);
  body.write('last');
  body.end();
  await expect.poll(() => text.endsWith('0\r\n\r\n')).toBe(true);
  client.destroy();
  expect(text.slice(0, text.indexOf('\r\n\r\n')).toLowerCase()).toContain('connection: close');
  expect(unchunked(text).replaceAll(FILLER, '') === `${pieces.join('')}last`).toBe(true);
});

it('sends what was buffered when it ends', async () => {
  const { client, body } = await streamed();
  const piece = 'x'.repeat(8_000_000);
  body.write(piece);
  body.write('rest');
  body.end();
  body.write('late');
  let text = '';
  client.setEncoding('latin1').on('data', (more: string) => (text += more));
  client.resume();
  await expect.poll(() => text.endsWith('0\r\n\r\n'), { timeout: 10_000 }).toBe(true);
  client.destroy();
  expect(unchunked(text) === `${piece}rest`).toBe(true);
});

it('reports once that the client has disconnected, and does nothing afterwards', async () => {
  const { client, body } = await streamed();
  let gone = 0;
  const isGone = new Promise<void>((resolve) => {
    body.onGone = () => {
      gone += 1;
      resolve();
    };
  });
  client.destroy();
  await isGone;
  body.write('x');
  body.end();
  body.close();
  expect([gone, body.isOpen]).toEqual([1, false]);
});
