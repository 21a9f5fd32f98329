// AMQP 0-9-1 and its log-in: the whole opening of a connection, as a client does it.
import { parse } from '../address.js';
import { withWire } from './wire.js';

/** @import { Wire } from './wire.js' */

const FRAME_END = 0xce;
const CONNECTION = 10;
const START = 10;
const START_OK = 11;
const TUNE = 30;
const TUNE_OK = 31;
const OPEN = 40;
const OPEN_OK = 41;

/** @param {Buffer} fields */
function table(fields) {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(fields.length);
  return Buffer.concat([length, fields]);
}

/** Written as a table is: its length, then its bytes. @param {string} value */
const longText = (value) => table(Buffer.from(value));

/** @param {string} value */
const shortText = (value) => Buffer.concat([Buffer.from([Buffer.byteLength(value)]), Buffer.from(value)]);

/** Asks to be told when the log-in fails, rather than to find the connection cut. */
const CAPABILITY = Buffer.concat([shortText('authentication_failure_close'), Buffer.from('t\u0001')]);
const PROPERTIES = table(Buffer.concat([shortText('capabilities'), Buffer.from('F'), table(CAPABILITY)]));

/** @param {number} method @param {...Buffer} parts */
function frame(method, ...parts) {
  const body = Buffer.concat([Buffer.from([0, CONNECTION, 0, method]), ...parts]);
  const head = Buffer.alloc(7);
  head[0] = 1;
  head.writeUInt32BE(body.length, 3);
  return Buffer.concat([head, body, Buffer.from([FRAME_END])]);
}

/** The arguments of the next method, which must be the expected one. @param {Wire} wire @param {number} expected */
async function next(wire, expected) {
  const head = await wire.take(7);
  const body = await wire.take(head.readUInt32BE(3) + 1);
  if (body.readUInt16BE(0) !== CONNECTION || body.readUInt16BE(2) !== expected) {
    throw new Error(
      `the server refuses the connection: ${body.toString('utf8', 7).replaceAll(/[^ -~]/g, '')}`,
    );
  }
  return body.subarray(4, -1);
}

/** Opens a connection to the virtual host in the URL and closes it; rejects when any step is refused. @param {string} url */
export function amqpOpen(url) {
  const { host, port, user, password, path } = parse(url);
  return withWire({ host, port }, async (wire) => {
    wire.write('AMQP\0\0\t\u0001');
    await next(wire, START);
    const answer = longText(`\0${user}\0${password}`);
    wire.write(frame(START_OK, PROPERTIES, shortText('PLAIN'), answer, shortText('en_US')));
    wire.write(frame(TUNE_OK, await next(wire, TUNE)));
    wire.write(frame(OPEN, shortText(path === '' ? '/' : decodeURIComponent(path)), Buffer.from([0, 0])));
    await next(wire, OPEN_OK);
  });
}
