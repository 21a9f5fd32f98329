// The native protocol of Cassandra and ScyllaDB (version 4): log in and run one statement.
import { parse } from '../address.js';
import { withWire } from './wire.js';

/** @import { Wire } from './wire.js' */

const REQUEST_VERSION = 4;
const OPCODE = {
  error: 0,
  startup: 1,
  ready: 2,
  authenticate: 3,
  query: 7,
  result: 8,
  authResponse: 15,
  authSuccess: 16,
};
const CONSISTENCY_ONE = 1;
const RESULT_ROWS = 2;
/** Dropping a keyspace of many tables takes this long on a busy machine. */
const ANSWER_LIMIT_MS = 60_000;
const GLOBAL_TABLE = 1;

/** @param {string} text */
function shortString(text) {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** @param {string} text */
function longString(text) {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(4);
  length.writeInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** One frame there and one back. @param {Wire} wire @param {number} opcode @param {Buffer} body */
async function request(wire, opcode, body) {
  const head = Buffer.from([REQUEST_VERSION, 0, 0, 0, opcode, 0, 0, 0, 0]);
  head.writeInt32BE(body.length, 5);
  wire.write(Buffer.concat([head, body]));
  const answerHead = await wire.take(9);
  const answer = await wire.take(answerHead.readInt32BE(5));
  const kind = answerHead[4] ?? 0;
  if (kind === OPCODE.error) throw new Error(answer.toString('utf8', 6, 6 + answer.readUInt16BE(4)));
  return { kind, answer };
}

/** @param {Wire} wire @param {import('../address.js').Address} address */
async function logIn(wire, { user, password }) {
  const options = Buffer.concat([Buffer.from([0, 1]), shortString('CQL_VERSION'), shortString('3.0.0')]);
  const { kind } = await request(wire, OPCODE.startup, options);
  if (kind === OPCODE.ready) return;
  const { kind: outcome } = await request(wire, OPCODE.authResponse, longString(`\0${user}\0${password}`));
  if (outcome !== OPCODE.authSuccess) throw new Error('the log-in takes an unexpected turn');
}

/** Rows as texts; columns must have types without parameters. @param {Buffer} answer */
function rowsOf(answer) {
  if (answer.readInt32BE(0) !== RESULT_ROWS) return [];
  let at = 12;
  const text = () => {
    const start = at + 2;
    at = start + answer.readUInt16BE(at);
    return answer.toString('utf8', start, at);
  };
  const columns = answer.readInt32BE(8);
  const isGlobal = (answer.readInt32BE(4) & GLOBAL_TABLE) !== 0;
  const skip = (/** @type {number} */ texts) => {
    for (let left = texts; left > 0; left--) text();
  };
  // The keyspace and the table, once or before each column.
  if (isGlobal) skip(2);
  for (let column = 0; column < columns; column++) {
    skip(isGlobal ? 1 : 3);
    at += 2;
  }
  const count = answer.readInt32BE(at);
  at += 4;
  const value = () => {
    const length = answer.readInt32BE(at);
    const start = at + 4;
    at = start + Math.max(length, 0);
    return answer.toString('utf8', start, at);
  };
  return Array.from({ length: count }, () => Array.from({ length: columns }, value));
}

/** Runs one statement; its rows, null as an empty text. @param {string} url @param {string} statement @returns {Promise<string[][]>} */
export function cassandraQuery(url, statement) {
  const address = parse(url);
  const talk = async (/** @type {Wire} */ wire) => {
    await logIn(wire, address);
    const parameters = Buffer.from([0, CONSISTENCY_ONE, 0]);
    const { answer } = await request(wire, OPCODE.query, Buffer.concat([longString(statement), parameters]));
    return rowsOf(answer);
  };
  return withWire(address, talk, ANSWER_LIMIT_MS);
}
