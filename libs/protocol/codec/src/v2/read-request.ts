import { isSentByClients } from '../event-names.js';
import { readSignin, readSubscribe, readUnsubscribe } from '../inbound/requests.js';
import { systemData, textMember } from '../inbound/system-data.js';
import { memberOf, type JsonObject } from '../json/parse-object.js';
import { readExtras } from './extras.js';
import { readHistory } from './read-history.js';
import { readPresenceUpdate } from './read-presence-update.js';
import { readResume } from './read-resume.js';
import { readRewind } from './read-rewind.js';
import type { Decoded, ReceivedData, ReceivedFrame } from './received.js';
import { type InboundFrameV2 } from './requests.js';
import { malformedV2 } from './malformed.js';
import type { WireNames } from './wire-names.js';

const MAX_MESSAGE_ID_BYTES = 64;

/** Returns the request of a decoded frame. Never throws. */
export function readRequestV2(decoded: Decoded, names: WireNames): InboundFrameV2 {
  if (!decoded.ok) return malformedV2(null, decoded.problem, decoded.channel);
  const { frame } = decoded;
  if (isSentByClients(frame.event)) return clientEvent(frame);
  // One request is also known by its bare name.
  if (frame.event === 'channel_history') return readHistory(objectOf(frame.data), frame.channel);
  const reserved = names.readReserved(frame.event);
  if (reserved?.kind !== 'system') return { kind: 'ignored' };
  const read = REQUESTS.get(reserved.name);
  return read === undefined ? { kind: 'ignored' } : read(frame);
}

const valueOf = (data: ReceivedData): unknown => (data.kind === 'json' ? data.value : undefined);
/** Returns `data` of a system frame as an object; null for bytes. */
const objectOf = (data: ReceivedData): JsonObject | null =>
  data.kind === 'bytes' ? null : systemData(data.kind === 'json' ? (data.value ?? undefined) : undefined);

const REQUESTS: ReadonlyMap<string, (frame: ReceivedFrame) => InboundFrameV2> = new Map<
  string,
  (frame: ReceivedFrame) => InboundFrameV2
>([
  ['subscribe', ({ data }) => subscribe(data)],
  ['unsubscribe', ({ data }) => unchanged(readUnsubscribe(valueOf(data)))],
  ['signin', ({ data }) => unchanged(readSignin(valueOf(data)))],
  ['ping', () => ({ kind: 'ping' })],
  ['pong', () => ({ kind: 'pong' })],
  ['auth', ({ data }) => auth(objectOf(data))],
  ['resume', ({ data }) => readResume(objectOf(data))],
  ['presence_update', ({ data, channel }) => readPresenceUpdate(objectText(data), channel)],
  ['channel_history', ({ data, channel }) => readHistory(objectOf(data), channel)],
  ['enable_delta_compression', ({ data }) => enableDelta(objectOf(data))],
  ['delta_sync_error', ({ data, channel }) => deltaSyncError(objectOf(data), channel)],
]);

/** Requests that both protocols have are read by the same function, which also knows refusals of the other protocol. */
function unchanged(read: ReturnType<typeof readSignin>): InboundFrameV2 {
  if (read.kind === 'unsubscribe' || read.kind === 'signin' || read.kind === 'malformed') return read;
  return { kind: 'ignored' };
}

/** The JSON text of a system frame's data, which may itself be in a string. */
function objectText(data: ReceivedData): string | null {
  if (data.kind !== 'json') return null;
  return typeof data.value === 'string' ? data.value : data.text;
}

function subscribe(frameData: ReceivedData): InboundFrameV2 {
  const read = readSubscribe(frameData.kind === 'bytes' ? null : valueOf(frameData));
  if (read.kind === 'malformed') return read;
  const data = objectOf(frameData);
  if (read.kind !== 'subscribe' || data === null)
    return malformedV2('subscribe', 'data must be an object', null);
  const { channel, auth: signature, channelData } = read;
  const wanted = memberOf(data, 'rewind');
  const rewind = wanted === undefined ? null : readRewind(wanted);
  if (rewind === undefined) return malformedV2('subscribe', 'data.rewind is not valid', channel);
  const modes = memberOf(data, 'modes') ?? [];
  if (!Array.isArray(modes)) return malformedV2('subscribe', 'data.modes must be a list', channel);
  return {
    kind: 'subscribe',
    channel,
    auth: signature,
    channelData,
    filter: memberOf(data, 'filter') ?? memberOf(data, 'tags_filter') ?? null,
    rewind,
    delta: memberOf(data, 'delta'),
    wantsAnnotations: modes.includes('ANNOTATION_SUBSCRIBE'),
  };
}

function clientEvent({ event, channel, data, messageId, extrasText }: ReceivedFrame): InboundFrameV2 {
  const isId =
    typeof messageId === 'string' && messageId !== '' && Buffer.byteLength(messageId) <= MAX_MESSAGE_ID_BYTES;
  if (messageId !== null && !isId) {
    return malformedV2(
      'client-event',
      `message_id must be a text of 1 to ${MAX_MESSAGE_ID_BYTES} bytes`,
      channel,
    );
  }
  const extras = extrasText === null ? null : readExtras(extrasText);
  if (extras !== null && 'problem' in extras) return malformedV2('client-event', extras.problem, channel);
  return { kind: 'client-event', event, channel, data, messageId, extrasText };
}

function auth(data: JsonObject | null): InboundFrameV2 {
  const token = data === null ? undefined : textMember(data, 'token');
  if (typeof token !== 'string' || token === '')
    return malformedV2('auth', 'data.token must be a string', null);
  return { kind: 'auth', token };
}

function enableDelta(data: JsonObject | null): InboundFrameV2 {
  if (data === null) return malformedV2('enable_delta_compression', 'data must be an object', null);
  const algorithms = memberOf(data, 'algorithms');
  if (algorithms === undefined) return { kind: 'enable-delta', algorithms: null };
  if (!Array.isArray(algorithms) || !algorithms.every((one): one is string => typeof one === 'string')) {
    return malformedV2('enable_delta_compression', 'data.algorithms must be a list of names', null);
  }
  return { kind: 'enable-delta', algorithms };
}

function deltaSyncError(data: JsonObject | null, frameChannel: string | null): InboundFrameV2 {
  const channel = data === null ? undefined : (textMember(data, 'channel') ?? frameChannel);
  return typeof channel === 'string'
    ? { kind: 'delta-sync-error', channel }
    : malformedV2('delta_sync_error', 'data.channel must be a string', frameChannel);
}
