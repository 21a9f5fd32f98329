// What clients of each protocol say until they are subscribed, and how they know that they are.
import { OPCODE } from './frame-counter.js';
import { packed } from './packed.js';

/**
 * @typedef {object} Dialect
 * @property {(credentials: import('./sign.js').Credentials) => string} path of the upgrade request
 * @property {string} greeted what the greeting has in it
 * @property {string} subscribed what the confirmation has in it
 * @property {string} refused what a refusal has in it
 * @property {number} opcode of what the client says
 * @property {(channel: string) => Buffer} subscribe
 * @property {((serial: number, channel: string, data: string) => Buffer) | null} publish null: it is not done here
 */

const json = (/** @type {object} */ frame) => Buffer.from(JSON.stringify(frame));
const text = { greeted: 'connection_established', subscribed: 'subscription_succeeded', refused: ':error"' };

/** @param {string} format @param {(frame: object) => Buffer} encode @returns {Pick<Dialect, 'path' | 'subscribe' | 'publish'>} */
const ably = (format, encode) => ({
  path: ({ key, secret }) => `/?key=${key}:${secret}&v=3&format=${format}&heartbeats=false`,
  subscribe: (channel) => encode({ action: 10, channel }),
  publish: (msgSerial, channel, data) =>
    encode({ action: 15, msgSerial, channel, messages: [{ name: 'bench', data }] }),
});

/** @type {Readonly<Record<string, Dialect>>} */
const DIALECTS = {
  v1: {
    ...text,
    path: ({ key }) => `/app/${key}?protocol=7&client=bench&version=1`,
    opcode: OPCODE.text,
    subscribe: (channel) => json({ event: 'pusher:subscribe', data: { channel } }),
    publish: null,
  },
  v2: {
    ...text,
    path: ({ key }) => `/app/${key}?protocol=2&client=bench&version=1`,
    opcode: OPCODE.text,
    subscribe: (channel) => json({ event: 'service:subscribe', data: { channel } }),
    publish: null,
  },
  ably: {
    ...ably('json', json),
    opcode: OPCODE.text,
    greeted: '"action":4,',
    subscribed: '"action":11,',
    refused: '"action":9,',
  },
  'ably-msgpack': {
    ...ably('msgpack', packed),
    opcode: OPCODE.binary,
    greeted: 'action\u0004',
    subscribed: 'action\u000B',
    refused: 'action\u0009',
  },
};

/** @param {import('./model.js').Server} server @returns {Dialect} */
export const dialectOf = ({ dialect }) => /** @type {Dialect} */ (DIALECTS[dialect ?? 'v1']);
