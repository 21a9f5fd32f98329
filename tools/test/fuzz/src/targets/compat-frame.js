import {
  CompatError,
  decodeWire,
  encodeWire,
  isObject,
  readAnnotation,
  readChannelName,
  readEdit,
  readMessage,
} from '@carillon/ably-core';
import { must, mustEqual } from '../broken.js';
import { splitFields } from '../text.js';
import { words } from '../words.js';

const RULES = { maxBytes: 65_536, maxNameBytes: 200, isReserved: () => false };
const utf8 = new TextDecoder('utf-8', { fatal: true });
const ADA = { clientId: 'ada', mayBeAnybody: false };
const CODES = new Set([40_000, 40_009, 40_010, 40_012, 40_013, 40_031, 40_032]);

/**
 * Fields: the format, and the bytes of a frame of an Ably client.
 * @type {import('../target.js').Target}
 */
export const compatFrame = {
  name: 'compat-frame',
  tokens: words(`
    json msgpack ␞ "action": 15 14 10 21 "channel": [?rewind=1]a [meta]a [filter=x]a "messages": [] {} "presence":
    "annotations": "data": "encoding": base64 json cipher+aes "extras": {"echo":true} {"headers":{}} {"what":1} "id":
    "clientId": "ada" "bob" "serial": "msgSerial": "name": "type": reactions:flag.v1 "messageSerial": "version": "count":
  `),
  outcomes: [
    'json: undecodable',
    'msgpack: undecodable',
    'json: no object',
    'json: message',
    'json: edit',
    'json: annotation',
    'json: name',
    'json: refused 40000',
    'json: refused 40010',
    'json: refused 40012',
    'json: refused 40032',
    'msgpack: message',
  ],
  growths: [
    { name: 'lists in lists', before: 'json␞{"action":15,"messages":[{"data":', piece: '[' },
    { name: 'messages', before: 'json␞{"action":15,"messages":[{}', piece: ',{}', after: ']}' },
    {
      name: 'headers',
      before: 'json␞{"messages":[{"extras":{"headers":{"a":1',
      piece: ',"a":1',
      after: '}}}]}',
    },
    { name: 'MessagePack lists', before: 'msgpack␞', piece: '\x91' },
    { name: 'qualifier', before: 'json␞{"channel":"[?a=1', piece: '&a=1', after: ']x"}' },
  ],
  check(bytes) {
    const { format, frame } = inputOf(bytes);
    const value = orCode(() => decodeWire(frame, format));
    if (value.code !== null) return `${format}: undecodable`;
    if (format === 'json')
      mustEqual(JSON.stringify(value.read), JSON.stringify(JSON.parse(utf8.decode(frame))), 'JSON');
    if (!isObject(value.read)) return `${format}: no object`;
    const { read, code, kind } = readFrame(value.read);
    if (code !== null) return `${format}: refused ${code}`;
    encodeWire(read, 'json');
    encodeWire(read, 'msgpack');
    return `${format}: ${kind}`;
  },
  reach(bytes) {
    const { format, frame } = inputOf(bytes);
    const { read } = orCode(() => decodeWire(frame, format));
    if (isObject(read)) readFrame(read);
  },
};

/** @param {Buffer} bytes */
function inputOf(bytes) {
  const [name = Buffer.alloc(0), ...rest] = splitFields(bytes);
  const format =
    name.toString() === 'msgpack' ? /** @type {const} */ ('msgpack') : /** @type {const} */ ('json');
  return { format, frame: Buffer.concat(rest) };
}

/** Everything in it, as far as the first that is refused. @param {Readonly<Record<string, unknown>>} frame */
function readFrame({ channel, messages, annotations }) {
  const done = orCode(() => {
    if (channel !== undefined) checkName(readChannelName(channel));
    const all = Array.isArray(messages) ? messages : [];
    for (const one of all) {
      if (isObject(one) && typeof one['serial'] === 'string') readEdit(one, one['serial'], ADA, RULES);
      else checkMessage(readMessage(one, ADA, RULES));
    }
    const made = Array.isArray(annotations) ? annotations : [];
    for (const one of made) readAnnotation(one, null, ADA, RULES);
    if (made.length > 0) return 'annotation';
    if (all.length === 0) return channel === undefined ? 'nothing' : 'name';
    return all.some((one) => typeof one?.serial === 'string') ? 'edit' : 'message';
  });
  return { ...done, kind: done.read };
}

/** @param {import('@carillon/ably-core').ChannelName} name */
function checkName({ text, base }) {
  must(base !== '' && text.endsWith(base), 'the base is the end of the name');
  must(Buffer.byteLength(base) <= 2048, 'the base has its bound');
}

/** @param {import('@carillon/ably-core').NewMessage} message */
function checkMessage({ data, clientId, extras }) {
  must(data === null || typeof data === 'string', 'data is kept as a text');
  mustEqual(clientId, 'ada', 'whom a message is from');
  must(extras === null || isObject(extras), 'extras are an object');
}

/**
 * What was read, or the code of the refusal; whatever else is thrown goes on.
 * @template Read
 * @param {() => Read} read
 * @returns {{ read: Read | undefined, code: number | null }}
 */
function orCode(read) {
  try {
    return { read: read(), code: null };
  } catch (error) {
    if (!(error instanceof CompatError)) throw error;
    must(CODES.has(error.code), `code ${error.code} is one of the page`);
    must(error.message.length < 400, 'the message is short');
    return { read: undefined, code: error.code };
  }
}
