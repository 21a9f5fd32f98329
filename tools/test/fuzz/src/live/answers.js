// What the service may say to a client, whatever the client said.
import { OPCODE } from '@carillon/testing';
import { ERRORS } from '@carillon/errors';
import { must } from '../broken.js';

/** Of the service's page, and those the protocol itself gives. */
const CLOSE_CODES = new Set([
  1000, 1001, 1002, 1003, 1005, 1007, 1009, 4001, 4003, 4004, 4009, 4100, 4200, 4201, 4301,
]);
const ERROR_CODES = new Set([4000, 4001, 4003, 4004, 4009, 4100, 4300, 4301, 4302, 4303, 104009]);

/**
 * One frame of the server, judged and named. A client that closes gets its own code back, whatever it is.
 * @param {import('@carillon/testing').RawFrame} frame @param {boolean} [mayEcho] whether the client may have closed
 */
export function judgeFrame({ opcode, isFinal, payload }, mayEcho = false) {
  must(isFinal, 'the service sends no fragments');
  if (opcode === OPCODE.ping || opcode === OPCODE.pong) return opcode === OPCODE.ping ? 'ping' : 'pong';
  if (opcode === OPCODE.close) {
    const code = payload.length < 2 ? 1005 : payload.readUInt16BE();
    must(CLOSE_CODES.has(code) || mayEcho, `close code ${code} is one of the page`);
    return CLOSE_CODES.has(code) ? `close ${code}` : 'close with the code of the client';
  }
  must(opcode === OPCODE.text, `a frame of kind ${opcode} comes on a JSON connection`);
  return judgeEvent(new TextDecoder('utf-8', { fatal: true }).decode(payload));
}

/** @param {string} text */
function judgeEvent(text) {
  const { event, data } = JSON.parse(text);
  must(typeof event === 'string', 'every frame has an event');
  if (event === 'pusher:error') {
    must(ERROR_CODES.has(data.code), `error code ${data.code} is one of the page`);
    must(typeof data.message === 'string' && data.message.length < 200, 'the message of an error is short');
    return `error ${data.code}`;
  }
  if (event.startsWith('client-')) return 'client event';
  must(/^pusher(_internal)?:[a-z_]+$/.test(event), `${event} is an event of the service`);
  return event;
}

/** One answer of the server over HTTP, judged and named. @param {Buffer} bytes */
export function judgeHttp(bytes) {
  if (bytes.length === 0) return 'http silence';
  const [, status = ''] = /^HTTP\/1\.1 (\d{3}) /.exec(bytes.toString('latin1', 0, 20)) ?? [];
  must(status !== '', `an answer begins with a status line, not ${bytes.toString('latin1', 0, 40)}`);
  return judgeStatus(Number(status));
}

/** An answer of the HTTP API, judged and named; requests it cannot parse the native server answers with no JSON. @param {Buffer} bytes */
export function judgeApi(bytes) {
  const name = judgeHttp(bytes);
  const [head = '', body = ''] = bytes.toString().split('\r\n\r\n');
  if (!/content-type: application\/json/i.test(head) || body === '') return name;
  const { code } = JSON.parse(body);
  must(name === 'http 200' || Object.hasOwn(ERRORS, code), `${code} is in the table`);
  return `api ${name === 'http 200' ? 'ok' : code}`;
}

/** @param {number} status */
export function judgeStatus(status) {
  must(status !== 500, 'nothing a client sends is an internal error');
  return `http ${status}`;
}
