import { frameError, loadWireFormat, readRequestV2, WireNames } from '@carillon/protocol';
import { must, mustEqual } from '../broken.js';
import { splitFields } from '../text.js';
import { words } from '../words.js';

/** @typedef {import('@carillon/protocol').InboundFrameV2} InboundFrameV2 */

const names = new WireNames('service');
const FORMATS = await Promise.all(
  /** @type {const} */ (['json', 'messagepack', 'protobuf']).map((format) => loadWireFormat(format, names)),
);
const REFUSED = new Set([4000, 4009, 4302, 104009]);

/**
 * Fields: the format, and the frame's bytes.
 * @type {import('../target.js').Target}
 */
export const frameV2 = {
  name: 'frame-v2',
  tokens: words(`
    json messagepack protobuf ␞ service: pusher: service_internal: client- subscribe resume auth presence_update
    channel_history enable_delta_compression delta_sync_error "channel_positions": "channel_serials": "serial":
    "stream_id": "rewind": {"count":1} {"seconds":1} "filter": "modes": [] "data": "extras": "headers": "message_id":
    "params": "limit": "direction": "until_attach":true "token": "user_info": structured binary
  `),
  outcomes: [
    ...['json', 'messagepack', 'protobuf'].flatMap((format) => [
      `${format}: client-event`,
      `${format}: subscribe`,
      `${format}: ignored`,
      `${format}: undecodable`,
    ]),
    ...words('json:resume json:auth json:channel-history json:presence-update json:enable-delta').map((one) =>
      one.replace(':', ': '),
    ),
    'json: refused 4000',
    'json: refused 4302',
    'json: refused 104009',
  ],
  growths: [
    { name: 'JSON lists in lists', before: 'json␞{"event":"client-a","data":', piece: '[' },
    {
      name: 'positions',
      before: 'json␞{"event":"service:resume","data":{"channel_serials":{"a":1',
      piece: ',"a":1',
      after: '}}}',
    },
    {
      name: 'parameters',
      before: 'json␞{"event":"channel_history","data":{"params":{"a":1',
      piece: ',"a":1',
      after: '}}}',
    },
    {
      name: 'headers',
      before: 'json␞{"event":"client-a","extras":{"headers":{"a":1',
      piece: ',"a":1',
      after: '}}}',
    },
    { name: 'Protobuf fields', before: 'protobuf␞', piece: '\x0a\x01e' },
    { name: 'Protobuf groups', before: 'protobuf␞', piece: '\x1b' },
  ],
  check(bytes) {
    const { format, frame } = inputOf(bytes);
    const decoded = format.decode(frame);
    const read = readRequestV2(decoded, names);
    if (!decoded.ok) {
      mustEqual(read.kind, 'malformed', 'kind of a frame that cannot be read');
      checkError(read);
      return `${format.format}: undecodable`;
    }
    if (decoded.frame.data.kind === 'json') JSON.parse(decoded.frame.data.text);
    if (decoded.frame.extrasText !== null) JSON.parse(decoded.frame.extrasText);
    if (read.kind !== 'malformed') {
      checkRequest(read);
      return `${format.format}: ${read.kind}`;
    }
    checkError(read);
    return `${format.format}: refused ${read.error.code}`;
  },
  reach(bytes) {
    const { format, frame } = inputOf(bytes);
    readRequestV2(format.decode(frame), names);
  },
};

/** @param {Buffer} bytes */
function inputOf(bytes) {
  const [name = Buffer.alloc(0), ...rest] = splitFields(bytes);
  const format = FORMATS.find((one) => one.format === name.toString()) ?? FORMATS[0];
  if (format === undefined) throw new Error('no format');
  return { format, frame: Uint8Array.from(Buffer.concat(rest)).buffer };
}

/** @param {InboundFrameV2} read */
function checkError(read) {
  if (read.kind !== 'malformed') return;
  must(REFUSED.has(read.error.code), `code ${read.error.code} is one of the page`);
  must(read.error.message.length > 0 && read.error.message.length < 100, 'the message is short');
  mustEqual(frameError(read.error.row).code, read.error.code, 'code of the row');
}

/** @param {InboundFrameV2} read */
function checkRequest(read) {
  if (read.kind === 'resume') {
    must(read.positions.size >= 1 && read.positions.size <= 1000, 'so many positions');
    for (const { serial } of read.positions.values())
      must(Number.isSafeInteger(serial) && serial >= 0, 'a serial');
  }
  if (read.kind === 'subscribe' && read.rewind !== null) {
    const many = 'count' in read.rewind ? read.rewind.count : read.rewind.seconds;
    must(Number.isSafeInteger(many) && many >= 1, 'a rewind is of something');
  }
  if (read.kind === 'presence-update') JSON.parse(read.userInfoText);
  if (read.kind === 'channel-history') must(read.wish.limit >= 1, 'a page has room');
}
