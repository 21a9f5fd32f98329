import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { Carillon } from '../src/client.js';
import { Transports } from '../src/connection/transports.js';
import { HandClock } from './harness/world.js';
import { FakeSocket, settled } from './harness/world.js';

describe('Transports', () => {
  it('goes on to the next after a failure, and remembers per host the one that worked for an hour', async () => {
    const clock = new HandClock();
    const names = ['websocket', 'http-stream'] as const;
    const first = new Transports(names, 'remembering.test', clock);
    expect([first.current, first.hasNext]).toEqual(['websocket', true]);
    expect([first.next(), first.current, first.hasNext]).toEqual([true, 'http-stream', false]);
    first.worked();
    expect(new Transports(names, 'remembering.test', clock).current).toBe('http-stream');
    expect(new Transports(names, 'other.test', clock).current).toBe('websocket');
    await clock.pass(3_600_001);
    expect(new Transports(names, 'remembering.test', clock).current).toBe('websocket');
  });

  it('begins anew after all of them have failed', () => {
    const transports = new Transports(['websocket', 'http-stream'], 'failing.test', new HandClock());
    expect([transports.next(), transports.next(), transports.current]).toEqual([true, false, 'websocket']);
  });
});

describe('a client behind a proxy without WebSockets', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });

  /** A service that only knows sessions; returns its URL and the frames that it got. */
  async function serving(): Promise<{ url: string; bodies: string[]; heads: string[] }> {
    const bodies: string[] = [];
    const heads: string[] = [];
    const server = createServer((request, response) => {
      heads.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`);
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        if (request.url?.includes('/stream?') === true) {
          const data = { socket_id: '1.2', activity_timeout: 120, session: 'sess', secret: 'hush' };
          response.writeHead(200, { 'content-type': 'application/x-ndjson' });
          const frame = { event: 'service:connection_established', data: JSON.stringify(data) };
          response.write(`${JSON.stringify(frame)}\n\n`);
          return;
        }
        bodies.push(body);
        response.end('{"accepted_seq":1}');
      });
    });
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies, heads };
  }

  class Refused extends FakeSocket {
    constructor(url: string) {
      super(url);
      setImmediate(() => this.ends(1006));
    }
  }

  it('connects by a session, and sends its frames numbered with the secret', async () => {
    const { url, bodies, heads } = await serving();
    const states: string[] = [];
    const client = new Carillon({ key: 'k', url, WebSocket: Refused, token: () => 'tok' });
    client.on('state', ({ current }) => states.push(current));
    const connected = new Promise((done) =>
      client.on('state', ({ current }) => current === 'connected' && done(0)),
    );
    expect(client.transport).toBeNull();
    client.connect();
    await connected;
    expect([client.transport, states, client.socketId]).toEqual([
      'http-stream',
      ['connecting', 'connected'],
      '1.2',
    ]);
    client.subscribe('orders');
    while (bodies.length === 0) await settled();
    expect(JSON.parse(bodies[0] ?? '')).toMatchObject({ seq: 1, event: 'service:subscribe' });
    client.disconnect();
    while (!heads.some((head) => head.startsWith('DELETE'))) await settled();
    expect(heads[0]).toMatch(/^POST \/app\/k\/stream\?protocol=2&\S*acks=true Bearer tok$/);
    expect(heads.slice(1)).toEqual([
      'POST /app/k/stream/sess Bearer hush',
      'DELETE /app/k/stream/sess Bearer hush',
    ]);
  });
});
