// Usage: main.js <port> <file of the log>
import { createServer } from 'node:http';
import { Store } from './store.js';
import { Failure, route } from './routes.js';
import { Tokens } from './tokens.js';

/** As the server limits it by default. */
const MAX_REQUEST_BYTES = 2_000_000;

const [port = '0', file = 'log'] = process.argv.slice(2);
const context = { store: new Store(file), tokens: new Tokens() };

/** @param {import('node:http').IncomingMessage} request @param {import('node:http').ServerResponse} response */
async function answer(request, response) {
  /** @type {Buffer[]} */
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes <= MAX_REQUEST_BYTES) chunks.push(chunk);
  }
  /** @param {number} status @param {unknown} body */
  const end = (status, body) => {
    const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
    const type = typeof body === 'string' ? 'text/plain' : 'application/json';
    response.writeHead(status, { 'content-type': type }).end(text);
  };
  try {
    if (bytes > MAX_REQUEST_BYTES) return end(413, 'length limit exceeded');
    const { status, body } = route(context, {
      method: request.method ?? 'GET',
      url: new URL(request.url ?? '/', 'http://iggy'),
      authorization: request.headers.authorization ?? '',
      text: Buffer.concat(chunks).toString(),
    });
    return end(status, body);
  } catch (error) {
    if (!(error instanceof Failure)) return end(500, String(error));
    const { status, id, code, message: reason, field } = error;
    return end(status, { id, code, reason, field });
  }
}

createServer((request, response) => void answer(request, response)).listen(Number(port), '127.0.0.1');
