// The PostgreSQL protocol: log in with a password (SCRAM-SHA-256) and run one statement.
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { parse } from '../address.js';
import { withWire } from './wire.js';

/** @import { Wire } from './wire.js' */

const PROTOCOL = 196_608;
const AUTHENTICATED = 0;
const SCRAM = 10;
const SCRAM_CHALLENGE = 11;

/** @param {string} type @param {Buffer} body */
function message(type, body) {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type, 'latin1'), length, body]);
}

/** @param {Wire} wire */
async function next(wire) {
  const head = await wire.take(5);
  const body = await wire.take(head.readInt32BE(1) - 4);
  const type = String.fromCharCode(head[0] ?? 0);
  if (type === 'E') throw new Error(/\0M([^\0]*)/.exec(`\0${body.toString()}`)?.[1] ?? 'an error');
  return { type, body };
}

/** @param {string} challenge @param {string} first @param {string} password */
function scramAnswer(challenge, first, password) {
  const [, nonce = '', salt = '', rounds = '0'] = /^r=([^,]+),s=([^,]+),i=(\d+)/.exec(challenge) ?? [];
  const salted = pbkdf2Sync(password, Buffer.from(salt, 'base64'), Number(rounds), 32, 'sha256');
  const clientKey = createHmac('sha256', salted).update('Client Key').digest();
  const storedKey = createHash('sha256').update(clientKey).digest();
  const last = `c=biws,r=${nonce}`;
  const signature = createHmac('sha256', storedKey).update(`${first},${challenge},${last}`).digest();
  const proof = Buffer.from(clientKey.map((byte, index) => byte ^ (signature[index] ?? 0)));
  return `${last},p=${proof.toString('base64')}`;
}

/** @param {Wire} wire @param {string} password */
async function scram(wire, password) {
  const first = `n=,r=${randomBytes(18).toString('base64')}`;
  const length = Buffer.alloc(4);
  length.writeInt32BE(first.length + 3);
  wire.write(
    message('p', Buffer.concat([Buffer.from('SCRAM-SHA-256\0'), length, Buffer.from(`n,,${first}`)])),
  );
  const { body } = await next(wire);
  if (body.readInt32BE(0) !== SCRAM_CHALLENGE) throw new Error('the log-in takes an unexpected turn');
  wire.write(message('p', Buffer.from(scramAnswer(body.toString('utf8', 4), first, password))));
}

/** @param {Wire} wire @param {import('../address.js').Address} address */
async function logIn(wire, { user, password, path }) {
  const settings = Buffer.from(`user\0${user}\0database\0${path === '' ? user : path}\0\0`);
  const version = Buffer.alloc(4);
  version.writeInt32BE(PROTOCOL);
  wire.write(message('', Buffer.concat([version, settings])));
  for (;;) {
    const { type, body } = await next(wire);
    if (type === 'Z') return;
    const step = type === 'R' ? body.readInt32BE(0) : AUTHENTICATED;
    if (step === SCRAM) await scram(wire, password);
    // 12 is SCRAM's closing message: nothing is asked with it.
    else if (step !== AUTHENTICATED && step !== 12)
      throw new Error(`log-in method ${step} is not known here`);
  }
}

/** @param {Buffer} body */
function firstColumn(body) {
  const length = body.readInt16BE(0) === 0 ? -1 : body.readInt32BE(2);
  return length < 0 ? null : body.toString('utf8', 6, 6 + length);
}

/**
 * Runs one statement on a connection of its own; an error reply rejects.
 * @param {string} url @param {string} sql
 * @returns {Promise<(string | null)[]>} the first column of every row
 */
export function postgresQuery(url, sql) {
  const address = parse(url);
  return withWire(address, async (wire) => {
    await logIn(wire, address);
    wire.write(message('Q', Buffer.from(`${sql}\0`)));
    /** @type {(string | null)[]} */
    const rows = [];
    for (;;) {
      const { type, body } = await next(wire);
      if (type === 'D') rows.push(firstColumn(body));
      if (type === 'Z') return rows;
    }
  });
}
