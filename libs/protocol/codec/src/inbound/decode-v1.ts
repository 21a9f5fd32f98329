import type { ErrorCode } from '@carillon/errors';
import { frameError } from '../frame-error.js';
import { isSentByClients, readReservedEvent } from '../event-names.js';
import { memberOf, parseJsonObject, type JsonObject } from '../json/parse-object.js';
import { rawMember } from '../json/raw-member.js';
import { utf8Text } from '../json/utf8.js';
import type { InboundFrame } from './frame.js';
import { malformed, readSignin, readSubscribe, readUnsubscribe } from './requests.js';
import { systemData, textMember } from './system-data.js';

/** Protocol 2 requests that are answered with an error on protocol 1. Others are unknown there and ignored. */
const REFUSED = new Map<string, readonly [ErrorCode, string]>([
  ['auth', ['auth_failed', 'Capability tokens need protocol 2']],
  ['resume', ['client_event_refused', 'Connection recovery needs protocol 2']],
  ['presence_update', ['presence_update_refused', 'Presence updates need protocol 2']],
  ['channel_history', ['malformed_frame', 'Channel history needs protocol 2']],
]);

/**
 * Decodes one frame of a protocol 1 connection, text or binary: both contain UTF-8 JSON. Never throws. Linear in the
 * size of the frame, which the socket limits.
 */
export function decodeV1Frame(frame: ArrayBuffer | string): InboundFrame {
  const text = typeof frame === 'string' ? frame : utf8Text(frame);
  if (text === null) return malformed(null, 'The frame is not UTF-8', null);
  const members = parseJsonObject(text);
  if (members === null) return malformed(null, 'The frame is not a JSON object', null);
  const event = memberOf(members, 'event');
  if (typeof event !== 'string' || event === '') {
    return malformed(null, 'event must be a string and not empty', textMember(members, 'channel'));
  }
  return isSentByClients(event) ? clientEvent(event, members, text) : reserved(event, members);
}

function clientEvent(event: string, members: JsonObject, text: string): InboundFrame {
  const channel = textMember(members, 'channel') ?? null;
  return { kind: 'client-event', event, channel, dataText: rawMember(text, 'data') };
}

function reserved(event: string, members: JsonObject): InboundFrame {
  const read = readReservedEvent(event);
  if (read?.kind !== 'system') return { kind: 'ignored' };
  const data = memberOf(members, 'data');
  switch (read.name) {
    case 'subscribe':
      return readSubscribe(data);
    case 'unsubscribe':
      return readUnsubscribe(data);
    case 'signin':
      return readSignin(data);
    case 'ping':
      return { kind: 'ping' };
    case 'pong':
      return { kind: 'pong' };
    default:
      return foreign(read.name, data);
  }
}

function foreign(name: string, frameData: unknown): InboundFrame {
  const refusal = REFUSED.get(name);
  if (refusal === undefined) return { kind: 'ignored' };
  const [row, message] = refusal;
  const data = systemData(frameData);
  const channel = data === null ? null : (textMember(data, 'channel') ?? null);
  return { kind: 'refused', error: frameError(row, { message, channel }) };
}
