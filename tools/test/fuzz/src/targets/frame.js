import { isUtf8 } from 'node:buffer';
import { decodeV1Frame, encodeV1, errorFrame, subscriptionError } from '@carillon/protocol';
import { must, mustEqual } from '../broken.js';
import { expectedFrame } from '../restate/frame.js';
import { objectIn, sameJson } from '../restate/json.js';
import { textOf } from '../text.js';
import { words } from '../words.js';

/** @typedef {import('@carillon/protocol').InboundFrame} InboundFrame */

/** Codes of the page that a frame can be answered with before anyone looks at what it asks for. */
const CODES = new Set([4000, 4009, 4300, 4301, 4302, 4303, 104009]);

/** @type {import('../target.js').Target} */
export const frame = {
  name: 'frame',
  tokens: [
    ...words(`
    pusher: service: pusher_internal: service_internal: client- subscribe unsubscribe signin
    ping pong auth resume presence_update channel_history rewind user_data "event" "data"
    "channel" "channel_data" presence- private- "data": { } [ ] , :
  `),
    '"d\\u0061ta"',
    '"\\u0065vent"',
    '"{\\"channel\\":\\"a\\"}"',
  ],
  outcomes: [
    'malformed: The frame is not a JSON object',
    'malformed: event must be a string and not empty',
    'malformed: data must be an object',
    'malformed: data.channel must be a string',
    'malformed: data.auth must be a string',
    'malformed: data.user_data must be a string of JSON',
    'malformed: data.channel_data must be a string of JSON',
    'no utf-8, as text client event with data',
    'client event with data',
    'client event without data',
    'ignored',
    'subscribe',
    'unsubscribe',
    'signin',
    'ping',
    'pong',
    'refused: Channel history needs protocol 2',
  ],
  growths: [
    { name: 'backslashes', before: '{"event":"client-a","data":"', piece: '\\\\', after: '"}' },
    { name: 'escaped quotes', before: '{"event":"client-a","data":"', piece: '\\"', after: '"}' },
    { name: 'equal members', before: '{"event":"client-a"', piece: ',"data":1', after: '}' },
    { name: 'spelled members', before: '{"event":"client-a"', piece: ',"d\\u0061ta":1', after: '}' },
    { name: 'lists in lists', before: '{"event":"client-a","data":', piece: '[' },
    { name: 'objects in objects', before: '{"event":"client-a","data":', piece: '{"a":' },
    { name: 'white space', before: '{"event":"client-a","data":', piece: ' \n', after: '1}' },
    { name: 'digits', before: '{"event":"client-a","data":', piece: '9', after: '}' },
    { name: 'text in text', before: '{"event":"pusher:subscribe","data":"', piece: '{\\"a\\":', after: '"}' },
    { name: 'strings', before: '{"event":"client-a","data":[""', piece: ',"\\\\"', after: ']}' },
  ],
  check(bytes) {
    const asBytes = decodeV1Frame(Uint8Array.from(bytes).buffer);
    if (!isUtf8(bytes)) {
      checkFrame(asBytes, null);
      const text = textOf(bytes);
      return `no utf-8, as text ${checkFrame(decodeV1Frame(text), text)}`;
    }
    const text = bytes.toString('utf8');
    must(sameJson(asBytes, decodeV1Frame(text)), 'bytes and text of one frame read alike');
    return checkFrame(asBytes, text);
  },
  reach: (bytes) => void decodeV1Frame(Uint8Array.from(bytes).buffer),
};

/** @param {InboundFrame} found @param {string | null} text null: there is none */
function checkFrame(found, text) {
  const expected = text === null ? { kind: 'malformed', request: null, channel: null } : expectedFrame(text);
  mustEqual(found.kind, expected.kind, 'kind');
  if (found.kind === 'client-event') {
    checkClientEvent(found, /** @type {string} */ (text));
    return found.dataText === null ? 'client event without data' : 'client event with data';
  }
  if (found.kind !== 'malformed' && found.kind !== 'refused') {
    must(sameJson(found, expected), `a frame ${found.kind} says what it says`);
    return found.kind;
  }
  checkError(found.error);
  mustEqual(found.error.channel, expected.channel ?? null, 'channel of the error');
  if (found.kind === 'malformed') mustEqual(found.request, expected.request, 'request');
  return `${found.kind}: ${found.error.message}`;
}

/** @param {import('@carillon/protocol').ClientEventFrame} found @param {string} text */
function checkClientEvent({ event, channel, dataText }, text) {
  const members = JSON.parse(text);
  mustEqual(event, members.event, 'event');
  mustEqual(channel, typeof members.channel === 'string' ? members.channel : null, 'channel');
  mustEqual(dataText !== null, Object.hasOwn(members, 'data'), 'whether there is data');
  if (dataText !== null) {
    must(text.includes(dataText), 'data is a piece of the frame');
    must(sameJson(JSON.parse(dataText), members.data), 'the piece says what data says');
  }
  const sent = encodeV1({ event, ...(channel === null ? {} : { channel }), dataText });
  const again = decodeV1Frame(sent);
  must(
    sameJson(again, { kind: 'client-event', event, channel, dataText }),
    'an event sent on reads the same',
  );
}

/** @param {import('@carillon/protocol').FrameError} error */
function checkError(error) {
  must(CODES.has(error.code), `code ${error.code} is one of the page`);
  must(error.message.length > 0 && error.message.length < 100, 'the message is short');
  const read = objectIn(encodeV1(errorFrame(error)));
  mustEqual(read?.get('event'), 'pusher:error', 'event of the error frame');
  mustEqual(read?.get('channel') ?? null, error.channel, 'channel of the error frame');
  if (error.channel === null) return;
  const second = objectIn(encodeV1(subscriptionError(error.channel, error, 400)));
  mustEqual(second?.get('channel'), error.channel, 'channel of the subscription error');
}
