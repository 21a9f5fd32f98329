// The NATS protocol: the greeting, and one request answered through JetStream's own subjects.
import { parse } from '../address.js';
import { withWire } from './wire.js';

const INBOX = '_INBOX.engines';

/**
 * Sends one request and resolves with the JSON of the answer; an error answer rejects.
 * @param {string} url @param {string} subject @param {unknown} [body]
 * @returns {Promise<Record<string, unknown>>}
 */
export function natsRequest(url, subject, body) {
  const { host, port } = parse(url);
  const payload = body === undefined ? '' : JSON.stringify(body);
  return withWire({ host, port }, async (wire) => {
    const greeting = JSON.parse((await wire.line()).slice('INFO '.length));
    if (greeting.jetstream !== true) throw new Error('the server runs without JetStream');
    wire.write('CONNECT {"verbose":false,"pedantic":false,"no_responders":true,"headers":true}\r\n');
    wire.write(`SUB ${INBOX} 1\r\nPUB ${subject} ${INBOX} ${Buffer.byteLength(payload)}\r\n${payload}\r\n`);
    for (;;) {
      const line = await wire.line();
      if (line.startsWith('-ERR')) throw new Error(line);
      if (line.startsWith('HMSG')) throw new Error(`nobody answers ${subject}`);
      if (!line.startsWith('MSG')) continue;
      const answer = JSON.parse(String(await wire.take(Number(line.split(' ').at(-1)))));
      if (answer.error !== undefined) throw new Error(answer.error.description);
      return answer;
    }
  });
}
