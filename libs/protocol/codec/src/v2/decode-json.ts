import { memberOf, parseJsonObject } from '../json/parse-object.js';
import { rawMember } from '../json/raw-member.js';
import { utf8Text } from '../json/utf8.js';
import { undecodable, type Decoded, type ReceivedData } from './received.js';

/** Reads a frame of format JSON, text or binary alike. Never throws. Linear in the frame. */
export function decodeJsonV2(frame: ArrayBuffer | string): Decoded {
  const text = typeof frame === 'string' ? frame : utf8Text(frame);
  if (text === null) return undecodable('The frame is not UTF-8');
  const members = parseJsonObject(text);
  if (members === null) return undecodable('The frame is not a JSON object');
  const event = memberOf(members, 'event');
  const channel = memberOf(members, 'channel');
  if (typeof event !== 'string' || event === '') {
    return undecodable('event must be a string and not empty', channel);
  }
  const messageId = memberOf(members, 'message_id');
  return {
    ok: true,
    frame: {
      event,
      channel: typeof channel === 'string' ? channel : null,
      data: dataOf(text, members['data']),
      messageId: messageId === undefined ? null : typeof messageId === 'string' ? messageId : undefined,
      extrasText: memberOf(members, 'extras') === undefined ? null : rawMember(text, 'extras'),
    },
  };
}

function dataOf(text: string, value: unknown): ReceivedData {
  const dataText = rawMember(text, 'data');
  return dataText === null ? { kind: 'none' } : { kind: 'json', text: dataText, value };
}
