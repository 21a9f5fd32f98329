import { randomBytes, randomInt } from 'node:crypto';
import { frameBytes, HANDSHAKE, requestBytes } from '@carillon/testing';

/** Script of a hostile client: writes pieces, then ends its side, resets, or waits for the server to end. */
export interface HostileCase {
  readonly pieces: readonly Buffer[];
  readonly leaves: 'half-closes' | 'resets' | 'waits';
}

const pick = <Value>(values: readonly Value[]): Value => values[randomInt(values.length)] as Value;
const junk = (limit: number): string => randomBytes(randomInt(1, limit)).toString('latin1');
const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
const HOST = 'Host: x\r\n';

const REQUEST_LINES = [
  () => junk(200),
  () => 'GET',
  () => 'GET /hello',
  () => `GET  /hello HTTP/1.1`,
  () => `GET /hello HTTP/${pick(['0.9', '1.0', '2.0', '1.1x', '', 'x'])}`,
  () => `${'G'.repeat(randomInt(1, 3000))} /hello HTTP/1.1`,
  () => `GET /${junk(500)} HTTP/1.1`,
  () =>
    `GET ${pick(['*', 'hello', 'http://x/hello', '//', '/%', '/%ff', '/json/%zz', '/..', '/?'])} HTTP/1.1`,
  () => `POST /json/${pick(['%ff', '%', 'a', '%00', ';', '__proto__'])} HTTP/1.1`,
  () => `${pick(['CONNECT', 'TRACE', 'PRI', 'options', 'get', '\0'])} /hello HTTP/1.1`,
];

const HEADERS = [
  () => junk(300),
  () => `${junk(20)}: ${junk(100)}\r\n`,
  () => 'NoColon\r\n',
  () => ': empty\r\n',
  () => 'X: a\r\n folded\r\n',
  () => 'X: a\nY: b\n\n',
  () => 'X : space\r\n',
  () => `Content-Length: ${pick(['-1', '1e3', '99999999999999999999', 'x', '5, 6', '+1', ' '])}\r\n`,
  () => 'Content-Length: 5\r\nContent-Length: 6\r\n',
  () => 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n',
  () => `Transfer-Encoding: ${pick(['gzip', 'chunked, chunked', 'xchunked', ''])}\r\n`,
  () => 'Host: y\r\nHost: z\r\n',
  () => `X-Forwarded-For: ${junk(200)}\r\n`,
  () => 'X: y\r\n'.repeat(randomInt(50, 300)),
  () => `X: ${'a'.repeat(randomInt(20_000, 120_000))}\r\n`,
  () => `Expect: ${pick(['100-continue', 'nothing', junk(10)])}\r\n`,
  () => 'Upgrade: websocket\r\nConnection: Upgrade\r\n',
];

const badLine = (): Buffer => bytes(`${pick(REQUEST_LINES)()}\r\n${HOST}\r\n`);

const badHeaders = (): Buffer =>
  bytes(
    `${pick(['GET /hello', 'POST /json/a'])} HTTP/1.1\r\n${HOST}${pick(HEADERS)()}${pick(HEADERS)()}\r\n`,
  );

function badBody(): Buffer {
  const length = pick([10, 65_536, 65_537, 200_000]);
  const head = `POST /${pick(['json/a', 'later', 'nowhere'])} HTTP/1.1\r\n${HOST}`;
  return pick([
    () => bytes(`${head}Content-Length: ${length}\r\n\r\n${junk(length)}`),
    () => bytes(`${head}Content-Length: 3\r\n\r\n{"a`),
    () =>
      bytes(`${head}Transfer-Encoding: chunked\r\n\r\n${pick(['zz', '-1', 'fffffffffffffffff', ''])}\r\n`),
    () =>
      bytes(`${head}Transfer-Encoding: chunked\r\n\r\n${length.toString(16)}\r\n${'x'.repeat(length)}\r\n`),
    () => bytes(`${head}Transfer-Encoding: chunked\r\n\r\n5\r\nabc`),
  ])();
}

function pipeline(): Buffer {
  const good = requestBytes({ path: '/hello' });
  const slow = requestBytes({ method: 'POST', path: '/later', body: 'abc' });
  const parts = Array.from({ length: randomInt(2, 12) }, () => pick([good, slow, badLine(), badBody()]));
  return Buffer.concat(parts);
}

function badUpgrade(): Buffer {
  const change = pick<Record<string, string>>([
    { 'Sec-WebSocket-Key': junk(40).replaceAll(/[\r\n]/g, 'x') },
    { 'Sec-WebSocket-Key': 'x'.repeat(24) },
    { 'Sec-WebSocket-Version': pick(['7', '99', '-1', '']) },
    { Upgrade: pick(['h2c', '', 'websocket2']) },
    {
      'Sec-WebSocket-Extensions': pick([
        'permessage-deflate; client_max_window_bits=99',
        ';;;',
        'x'.repeat(999),
      ]),
    },
    { 'Sec-WebSocket-Protocol': junk(50).replaceAll(/[\r\n]/g, 'x') },
  ]);
  return requestBytes({
    path: `/app/${pick(['k', '%ff', '', 'a/b'])}`,
    headers: { ...HANDSHAKE, ...change },
  });
}

const FRAMES = [
  () => frameBytes(pick([1, 2]), randomBytes(randomInt(1, 200))),
  () => frameBytes(1, 'ok', { isMasked: false }),
  () => frameBytes(pick([3, 7, 11, 15]), 'x'),
  () => frameBytes(1, 'x', { reserved: randomInt(1, 8) }),
  () => frameBytes(1, Buffer.from([0xc3, 0x28])),
  () => frameBytes(2, Buffer.alloc(pick([16_384, 16_385, 100_000]))),
  () => frameBytes(pick([8, 9, 10]), Buffer.alloc(pick([0, 1, 125, 126, 300]))),
  () => frameBytes(8, Buffer.from([pick([0, 3, 15, 255]), randomInt(256), 0xff])),
  () => frameBytes(pick([0, 1]), 'part', { isFinal: false }),
  () => frameBytes(9, 'x', { isFinal: false }),
  () => Buffer.from([0x81, 0xff, 0x7f, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0]),
  () => Buffer.from([0x81, 0xfe]),
  () => frameBytes(1, randomBytes(50), { reserved: 4 }),
];

function badFrames(): Buffer {
  const frames = Array.from({ length: randomInt(1, 8) }, () => pick(FRAMES)());
  const extensions = pick<Record<string, string>>([{}, { 'Sec-WebSocket-Extensions': 'permessage-deflate' }]);
  return Buffer.concat([
    requestBytes({ path: '/app/k', headers: { ...HANDSHAKE, ...extensions } }),
    ...frames,
  ]);
}

/** Cuts the bytes at a random place, so that the server sees them in two pieces. */
function cut(whole: Buffer): Buffer[] {
  const at = randomInt(whole.length + 1);
  return [whole.subarray(0, at), whole.subarray(at)];
}

/** One random attack. */
export function hostileCase(): HostileCase {
  const whole = pick([badLine, badHeaders, badBody, pipeline, badUpgrade, badFrames, badFrames])();
  return {
    pieces: randomInt(3) === 0 ? cut(whole) : [whole],
    leaves: pick(['half-closes', 'half-closes', 'resets', 'waits']),
  };
}
