// Usage: main.js <folder of keys and certificates> <port for tests> <port of the clouds>
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createSecureServer } from 'node:http2';
import { join } from 'node:path';
import { answered, notFound } from './answer.js';
import { ANSWERS } from './answers.js';
import { CLOUDS } from './clouds.js';
import { control } from './control.js';
import { Rooms } from './rooms.js';

/** @import { Answer } from './answer.js' */

const [folder = '.', port, tlsPort] = process.argv.slice(2);
const text = (/** @type {string} */ name) => readFileSync(join(folder, name), 'utf8');
const rooms = new Rooms();
const about = {
  origin: `https://127.0.0.1:${tlsPort}`,
  authority: text('server.crt'),
  clientPem: text('client.crt') + text('client.key'),
  clientP12: readFileSync(join(folder, 'client.p12')).toString('base64'),
  p12Password: 'secret',
  answers: ANSWERS,
};

const clouds = createSecureServer({
  key: text('server.key'),
  cert: text('server.crt'),
  allowHTTP1: true,
  requestCert: true,
  rejectUnauthorized: false,
  settings: { maxConcurrentStreams: 100 },
});
let connections = 0;
clouds.on('secureConnection', () => {
  connections += 1;
});
clouds.on('sessionError', () => undefined);
clouds.on('request', (request, response) => void arrive(request, response));
clouds.listen(Number(tlsPort), '127.0.0.1');

/** @param {import('node:http2').Http2ServerRequest} request @param {import('node:http2').Http2ServerResponse} response */
async function arrive(request, response) {
  const [, roomName = '', cloudName = '', ...path] = (request.url ?? '').split('?')[0]?.split('/') ?? [];
  const room = rooms.named(roomName);
  const cloud = CLOUDS[cloudName];
  if (room === undefined || cloud === undefined) return answered(request, response, notFound);
  /** @type {Buffer[]} */
  const chunks = [];
  try {
    for await (const chunk of request) chunks.push(chunk);
  } catch {
    // The other side has given up.
    return;
  }
  // Of HTTP/2 it is a stand-in for the socket, which has what it does not tell of.
  const socket = /** @type {Partial<import('node:tls').TLSSocket>} */ (
    (request.stream?.session ?? request).socket
  );
  const certificate = socket.getPeerCertificate?.() ?? {};
  const arrival = {
    path: path.join('/'),
    headers: request.headers,
    body: Buffer.concat(chunks),
    certified: Object.keys(certificate).length > 0,
    origin: about.origin,
    version: request.httpVersion,
  };
  /** @type {Answer} */
  let answer;
  try {
    answer = cloud(room, arrival);
  } catch (error) {
    answer = { status: 500, body: { stand_in: String(error) } };
  }
  if (room.answerMs === 0) answered(request, response, answer);
  else setTimeout(() => answered(request, response, answer), room.answerMs);
}

createServer((request, response) => void obey(request, response)).listen(Number(port), '127.0.0.1');

/** @param {import('node:http').IncomingMessage} request @param {import('node:http').ServerResponse} response */
async function obey(request, response) {
  /** @type {Buffer[]} */
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  let status = 200;
  /** @type {unknown} */
  let answer;
  try {
    answer = control(JSON.parse(Buffer.concat(chunks).toString()), rooms, { ...about, connections });
  } catch (error) {
    [status, answer] = [400, { error: String(error) }];
  }
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer ?? {}));
}
