import { RawConnection, readAnswer } from '@carillon/testing';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isAmbiguous } from '../src/http/framing.js';
import type { HttpResponse, UwsServer } from '../src/index.js';
import { startBare } from './app.js';

const BEHIND = 'POST /behind HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n';
const FRAMINGS = [
  'Content-Length: 3\r\nContent-Length: 3\r\n',
  'Content-Length: 3\r\nContent-Length: 0\r\n',
  'Content-Length: 3\r\nTransfer-Encoding: chunked\r\n',
  'Content-Length:\r\n',
  'Content-Length: +3\r\n',
  'Content-Length: 3, 3\r\n',
  'Transfer-Encoding:\r\n',
  'Transfer-Encoding: identity\r\n',
  'Transfer-Encoding: gzip, chunked\r\n',
  'Transfer-Encoding: chunked, chunked\r\n',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n',
  'Transfer-Encoding: xchunked\r\n',
  'Transfer-Encoding: chun\xe2\x84\xaaed\r\n',
];

describe('a request whose end is ambiguous', () => {
  let port: number;
  let server: UwsServer;
  let ran: string[] = [];

  beforeAll(async () => {
    const bare = await startBare();
    ({ port, server } = bare);
    for (const path of ['/first', '/behind', '/abcPOST']) {
      bare.adapter.fastRoute('POST', path, (request, response) => {
        ran.push(request.rawPath);
        response.send({});
      });
    }
    bare.adapter.socketRoute('/socket', { upgrade: () => ({ accept: null }), message: () => {} });
  });
  afterAll(() => server.close());

  it.each(
    FRAMINGS.flatMap((framing) => [
      ['/first', framing] as const,
      ['/nowhere', framing],
      ['/socket', framing],
    ]),
  )('to %s is answered 400, and nothing behind it runs: %j', async (path, framing) => {
    ran = [];
    const connection = await RawConnection.open(port);
    connection.write(`POST ${path} HTTP/1.1\r\nHost: x\r\n${framing}\r\nabc${BEHIND}${BEHIND}`);
    expect(await connection.untilEnd()).toBe(true);
    const answers = connection.received.toString('latin1').split(/(?=HTTP\/1\.1 )/);
    expect(answers.map((answer) => answer.slice(9, 12))).toEqual(['400']);
    expect(ran).toEqual([]);
  });

  it('in a HEAD, or in an upgrade, ends the connection too', async () => {
    for (const head of ['HEAD /first', 'GET /socket']) {
      ran = [];
      const connection = await RawConnection.open(port);
      const upgrade =
        'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n';
      connection.write(
        `${head} HTTP/1.1\r\nHost: x\r\n${upgrade}Content-Length: 0\r\nContent-Length: 1\r\n\r\n${BEHIND}`,
      );
      expect(await connection.untilEnd()).toBe(true);
      expect(connection.received.toString('latin1')).not.toContain('101');
      expect(ran).toEqual([]);
    }
  });

  it('is every one but those with one plain length or exactly chunked', () => {
    const header = fc.tuple(
      fc.constantFrom('content-length', 'transfer-encoding', 'x-other'),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(fc.array(header, { maxLength: 4 }), (headers) => {
        const framing = headers.filter(([name]) => name !== 'x-other');
        const isPlain = framing.every(([name, value]) =>
          name === 'content-length'
            ? /^\d{1,15}$/.test(value)
            : value.toLowerCase() === 'chunked' && value.length === 7,
        );
        expect(isAmbiguous(headers.flat())).toBe(framing.length > 1 || !isPlain);
      }),
    );
  });
});

describe('requests of one connection', () => {
  it('wait for their turn while one before them is answered later', async () => {
    const { adapter, server, port } = await startBare();
    const order: string[] = [];
    const held: HttpResponse[] = [];
    adapter.fastRoute('POST', '/first', (request, response) => {
      order.push(`first ${request.bodyLength}`);
      held.push(response);
    });
    adapter.fastRoute('GET', '/second', (_request, response) => {
      order.push('second');
      response.send('second');
    });
    const connection = await RawConnection.open(port);
    connection.write('POST /first HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nab');
    connection.write('c');
    while (order.length === 0) await new Promise((done) => setTimeout(done, 2));
    connection.write('GET /second HTTP/1.1\r\nHost: x\r\n\r\n');
    // Long enough for a server that reads on to have ended the connection.
    await new Promise((done) => setTimeout(done, 30));
    expect(order).toEqual(['first 3']);
    held[0]?.send('first');
    expect((await readAnswer(connection)).body).toBe('first');
    expect((await readAnswer(connection)).body).toBe('second');
    connection.destroy();
    server.close();
  });
});

describe('a path that cannot be decoded', () => {
  it.each(['/up/%ff', '/up/%', '/up/%zz', '/nowhere/%c3%28', '/up/\xff', '/socket/%e0'])(
    'is 400: %s',
    async (path) => {
      const { adapter, server, port } = await startBare();
      adapter.fastRoute('GET', '/up/:name', (_request, response) => response.send('never read'));
      adapter.socketRoute('/socket/:name', { upgrade: () => ({ accept: null }), message: () => {} });
      const connection = await RawConnection.open(port);
      const upgrade =
        'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n';
      connection.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n${path.startsWith('/socket') ? upgrade : ''}\r\n`);
      expect((await readAnswer(connection)).status).toBe(400);
      connection.destroy();
      server.close();
    },
  );
});
