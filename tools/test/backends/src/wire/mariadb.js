// The MariaDB protocol: log in with mysql_native_password and run one statement.
import { createHash } from 'node:crypto';
import { parse } from '../address.js';
import { withWire } from './wire.js';

/** @import { Wire } from './wire.js' */

const METHOD = 'mysql_native_password';
/** Protocol 4.1, connect with database, secure connection, named log-in method. */
const CAPABILITIES = 0x200 | 0x8 | 0x8000 | 0x80000;
const UTF8MB4 = 45;
const COM_QUERY = 3;

/** @param {Wire} wire */
async function next(wire) {
  const head = await wire.take(4);
  const body = await wire.take(head.readUIntLE(0, 3));
  if (body[0] === 0xff) throw new Error(body.toString('utf8', 9));
  return { sequence: head[3] ?? 0, body };
}

/** @param {number} sequence @param {Buffer} body */
function packet(sequence, body) {
  const head = Buffer.alloc(4);
  head.writeUIntLE(body.length, 0, 3);
  head[3] = sequence;
  return Buffer.concat([head, body]);
}

/** @param {...(Buffer | string)} parts */
const sha1 = (...parts) =>
  parts
    .reduce((/** @type {import('node:crypto').Hash} */ hash, part) => hash.update(part), createHash('sha1'))
    .digest();

/** @param {string} password @param {Buffer} challenge */
function token(password, challenge) {
  if (password === '') return Buffer.alloc(0);
  const inner = sha1(password);
  const mask = sha1(challenge, sha1(inner));
  return Buffer.from(inner.map((byte, index) => byte ^ (mask[index] ?? 0)));
}

/** The 20 random bytes of the greeting: 8 after the version text and thread number, 12 after the capabilities. @param {Buffer} greeting */
function challengeOf(greeting) {
  const start = greeting.indexOf(0, 1) + 5;
  return Buffer.concat([greeting.subarray(start, start + 8), greeting.subarray(start + 27, start + 39)]);
}

/** @param {Wire} wire @param {import('../address.js').Address} address */
async function logIn(wire, { user, password, path }) {
  const { body: greeting } = await next(wire);
  const head = Buffer.alloc(32);
  head.writeUInt32LE(CAPABILITIES, 0);
  head.writeUInt32LE(16_777_215, 4);
  head[8] = UTF8MB4;
  const proof = token(password, challengeOf(greeting));
  const fields = [head, `${user}\0`, Buffer.from([proof.length]), proof, `${path}\0`, `${METHOD}\0`];
  wire.write(packet(1, Buffer.concat(fields.map((field) => Buffer.from(field)))));
  const { sequence, body } = await next(wire);
  if (body[0] === 0) return;
  if (body[0] !== 0xfe || !body.toString('latin1', 1).startsWith(METHOD)) {
    throw new Error('the server asks for a log-in method that is not known here');
  }
  const again = body.subarray(METHOD.length + 2, METHOD.length + 22);
  wire.write(packet(sequence + 1, token(password, again)));
  await next(wire);
}

/** @param {Buffer} body */
const isEnd = (body) => body[0] === 0xfe && body.length < 9;

/**
 * Runs one statement on a connection of its own; an error reply rejects.
 * @param {string} url @param {string} sql
 * @returns {Promise<string[]>} the first column of every row; values longer than 250 bytes are not for this
 */
export function mariadbQuery(url, sql) {
  const address = parse(url);
  return withWire(address, async (wire) => {
    await logIn(wire, address);
    wire.write(packet(0, Buffer.concat([Buffer.from([COM_QUERY]), Buffer.from(sql)])));
    const { body: first } = await next(wire);
    /** @type {string[]} */
    const rows = [];
    if (first[0] === 0) return rows;
    while (!isEnd((await next(wire)).body));
    for (;;) {
      const { body } = await next(wire);
      if (isEnd(body)) return rows;
      rows.push(body.toString('utf8', 1, 1 + (body[0] ?? 0)));
    }
  });
}
