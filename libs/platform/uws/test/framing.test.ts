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
  'Content-Length: -3\r\n',
  'Content-Length: 3 0\r\n',
  'Content-Length: 0x3\r\n',
  'Content-Length: 3.0\r\n',
  'Content-Length: 1e1\r\n',
  'Content-Length: 9999999999999999\r\n',
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

/** Bytes that the native parser removes around values. */
const HIDDEN = ['\x80', '\xff', '\xc2\xa0', ' \x80 '];
const OBSCURE_VALUES = HIDDEN.flatMap((hidden) => [
  `Content-Length: 3${hidden}\r\n`,
  `Content-Length: ${hidden}3\r\n`,
  `Content-Length: 0${hidden}\r\n`,
  `Transfer-Encoding: chunked${hidden}\r\n`,
  `Transfer-Encoding: ${hidden}chunked\r\n`,
]);
/** Lines that other servers may read as a length header. */
const OBSCURE_LINES = [
  'Content-Length\x80: 3\r\n',
  'Transfer-Encoding\x80: chunked\r\n',
  '\x80Content-Length: 3\r\n',
  'Content-Length : 3\r\n',
  'Content-Length\t: 3\r\n',
  'Content-Length: 0\r\n 3\r\n',
  'Transfer-Encoding:\r\n chunked\r\n',
  'X-Other: y\nTransfer-Encoding: chunked\r\n',
  'Transfer-Encoding : chunked\r\n',
  'X-Other: y\r\n Content-Length: 3\r\n',
  'X-Other: y\nContent-Length: 3\r\n',
  'X-Other: y\rContent-Length: 3\r\n',
  'X-Other: y\rTransfer-Encoding: chunked\r\n',
];
const OBSCURE_BODIES = ['abc', '0\r\n\r\n', '3\r\nabc\r\n0\r\n\r\n', ''];

describe('a request behind one with a body', () => {
  let port: number;
  let server: UwsServer;
  let ran: string[] = [];

  beforeAll(async () => {
    const bare = await startBare();
    ({ port, server } = bare);
    const { adapter } = bare;
    adapter.fastRoute('POST', '/sync', (_request, response) => response.send({}));
    adapter.fastRoute('POST', '/async', (_request, response) => void setImmediate(() => response.send({})));
    for (const path of ['/behind', '/abcPOST'])
      adapter.fastRoute('POST', path, (request, response) => {
        ran.push(request.rawPath);
        response.send({});
      });
  });
  afterAll(() => server.close());

  const BODIES = [
    ...OBSCURE_VALUES.flatMap((framing) =>
      ['abc', '0\r\n\r\n', '3\r\nabc\r\n0\r\n\r\n', ''].map((body) => [framing, body]),
    ),
    ['Content-Length: 3\r\n', 'abc'],
    ['Content-Length: 0\r\n', ''],
    ['Transfer-Encoding: chunked\r\n', '3\r\nabc\r\n0\r\n\r\n'],
    ['Transfer-Encoding: chunked\r\n', '3\x80\r\nabc\r\n0\r\n\r\n'],
    ['Transfer-Encoding: chunked\r\n', '3;name=value\r\nabc\r\n0;last\r\n\r\n'],
    ['Transfer-Encoding: chunked\r\n', '3 \r\nabc\r\n0\r\n\r\n'],
    ['Transfer-Encoding: chunked\r\n', '+3\r\nabc\r\n0\r\n\r\n'],
    ['Transfer-Encoding: chunked\r\n', '0x3\r\nabc\r\n0\r\n\r\n'],
    ['Transfer-Encoding: chunked\r\n', '3\nabc\n0\n\n'],
    ['Transfer-Encoding: chunked\r\n', '3\r\nabc\r\n0\r\nContent-Length: 3\r\n\r\n'],
  ] as const;

  it.each(['/sync', '/async', '/nowhere', '/behind/%ff'])(
    'never runs when both arrive in one piece, the first for %s',
    async (path) => {
      for (const [framing, body] of BODIES) {
        ran = [];
        const connection = await RawConnection.open(port);
        const head = `POST ${path} HTTP/1.1\r\nHost: x\r\n${framing}\r\n`;
        connection.write(Buffer.from(`${head}${body}${BEHIND}`, 'latin1'));
        expect([framing, body, await connection.untilEnd()]).toEqual([framing, body, true]);
        expect([framing, body, ran]).toEqual([framing, body, []]);
      }
    },
  );

  it('never runs when a line before it may be taken for the length of a body', async () => {
    ran = [];
    for (const line of OBSCURE_LINES)
      for (const body of OBSCURE_BODIES) {
        const connection = await RawConnection.open(port);
        connection.write(`POST /sync HTTP/1.1\r\nHost: x\r\n${line}\r\n${body}${BEHIND}`);
        // A response on a later connection shows that the server has read everything sent before.
        const other = await RawConnection.open(port);
        other.write('POST /sync HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n');
        expect((await readAnswer(other)).status).toBe(200);
        expect([line, body, ran]).toEqual([line, body, []]);
        connection.destroy();
        other.destroy();
      }
  });

  it('never runs when the body of the first is chunked, though it arrives after the answer', async () => {
    ran = [];
    const connection = await RawConnection.open(port);
    connection.write('POST /sync HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n');
    expect((await readAnswer(connection)).status).toBe(200);
    connection.write(BEHIND);
    expect(await connection.untilEnd()).toBe(true);
    expect(ran).toEqual([]);
  });

  it('runs when it is sent after the answer to a plain one', async () => {
    ran = [];
    const connection = await RawConnection.open(port);
    for (const path of ['/sync', '/nowhere', '/async']) {
      connection.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nab`);
      connection.write('c');
      expect((await readAnswer(connection)).status).toBe(path === '/nowhere' ? 404 : 200);
    }
    connection.write(BEHIND);
    expect((await readAnswer(connection)).status).toBe(200);
    expect(ran).toEqual(['/behind']);
    connection.destroy();
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
