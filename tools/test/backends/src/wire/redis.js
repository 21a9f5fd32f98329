// The Redis protocol, as far as setting up and checking servers needs it.
import { parse } from '../address.js';
import { withWire } from './wire.js';

/** @import { Wire } from './wire.js' */
/** @typedef {string | number | null | Reply[]} Reply */

/** @param {string[]} words */
const encode = (words) =>
  `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`;

/** @param {Wire} wire @returns {Promise<Reply>} */
async function reply(wire) {
  const line = await wire.line();
  const rest = line.slice(1);
  switch (line.charAt(0)) {
    case '+':
      return rest;
    case ':':
      return Number(rest);
    case '$':
      return rest === '-1' ? null : bulk(wire, Number(rest));
    case '*':
      return rest === '-1' ? null : list(wire, Number(rest));
    default:
      throw new Error(rest);
  }
}

/** @param {Wire} wire @param {number} length */
async function bulk(wire, length) {
  const bytes = await wire.take(length + 2);
  return bytes.toString('utf8', 0, length);
}

/** @param {Wire} wire @param {number} count */
async function list(wire, count) {
  /** @type {Reply[]} */
  const replies = [];
  while (replies.length < count) replies.push(await reply(wire));
  return replies;
}

/** Sends one command on a connection of its own; an error reply rejects. @param {string} url @param {...string} words */
export function redisCommand(url, ...words) {
  const { host, port, user, password } = parse(url);
  return withWire({ host, port }, async (wire) => {
    if (password !== '') {
      wire.write(encode(user === '' ? ['AUTH', password] : ['AUTH', user, password]));
      await reply(wire);
    }
    wire.write(encode(words));
    return reply(wire);
  });
}
