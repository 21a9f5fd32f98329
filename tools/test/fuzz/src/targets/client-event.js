import { Channels, takesClientEvents } from '@carillon/channels';
import { decodeV1Frame, encodeV1, eventForProtocol } from '@carillon/protocol';
import { APPS, GLOBALS } from '../apps.js';
import { must, mustEqual } from '../broken.js';
import { judgeName } from '../restate/channel-name.js';
import { sameJson } from '../restate/json.js';
import { textOf } from '../text.js';
import { words } from '../words.js';

const channels = new Channels(GLOBALS);

/** A client event from the sender's frame to what the others get. @type {import('../target.js').Target} */
export const clientEvent = {
  name: 'client-event',
  tokens: [
    ...words(`
    client- private- presence- private-encrypted- cache- "event" "channel" "data" "user_id"
    chat: closed: #ada * [meta] ,"data":
  `),
    '"d\\u0061ta"',
    '\\"',
    '\\\\',
  ],
  outcomes: [
    'delivered on private',
    'delivered on presence',
    'delivered on private_cache',
    'delivered on presence_cache',
    'not on this channel',
    'without channel',
    'no channel: characters',
    'no channel: namespace_unknown',
  ],
  growths: [
    {
      name: 'payload',
      before: '{"event":"client-a","channel":"private-a","data":"',
      piece: '\\u0000',
      after: '"}',
    },
    {
      name: 'event',
      before: '{"event":"client-',
      piece: '\\ud800',
      after: '","channel":"private-a","data":1}',
    },
    { name: 'members', before: '{"event":"client-a","channel":"private-a"', piece: ',"":0', after: '}' },
  ],
  check(bytes) {
    const frame = decodeV1Frame(textOf(bytes));
    if (frame.kind !== 'client-event') return 'no client event';
    if (frame.channel === null) return 'without channel';
    const [outcome = ''] = APPS.map((app) => checkEvent(app, frame, frame.channel ?? '')).reverse();
    return outcome;
  },
  reach(bytes) {
    const frame = decodeV1Frame(textOf(bytes));
    if (frame.kind !== 'client-event' || frame.channel === null) return;
    for (const { app } of APPS) channels.subscription(app, frame.channel, 1);
    encodeV1({ event: frame.event, channel: frame.channel, dataText: frame.dataText, userId: 'u-17' });
  },
};

/** @param {import('../apps.js').AppCase} app @param {import('@carillon/protocol').ClientEventFrame} frame @param {string} name */
function checkEvent(app, { event, dataText }, name) {
  const channel = channels.subscription(app.app, name, 1);
  const expected = judgeName(app, name, 1);
  mustEqual(channel.accepted, expected !== null, 'whether the channel exists');
  if (!channel.accepted) return `no channel: ${channel.reason}`;
  const isPlainPrivate = /^(private|presence)-/.test(name) && !name.startsWith('private-encrypted-');
  mustEqual(takesClientEvents(channel), isPlainPrivate, 'whether the channel takes client events');
  if (!isPlainPrivate) return 'not on this channel';
  const userId = channel.kind.startsWith('presence') ? 'u-17' : null;
  const sent = JSON.parse(encodeV1({ event, channel: name, dataText, userId }));
  const wanted = {
    event,
    channel: name,
    ...(dataText === null ? {} : { data: JSON.parse(dataText) }),
    ...(userId === null ? {} : { user_id: userId }),
  };
  must(sameJson(sent, wanted), 'the others get what was sent');
  must(eventForProtocol(event, 2) === event, 'no protocol renames what clients make');
  return `delivered on ${channel.kind}`;
}
