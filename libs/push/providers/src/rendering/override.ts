import { isObject, type JsonObject } from '../json.js';
import { inBodies, type Provider } from '../provider.js';
import { InvalidPayload } from './notification.js';

const APNS_PUSH_TYPES = new Set([
  'alert',
  'background',
  'location',
  'voip',
  'complication',
  'fileprovider',
  'mdm',
  'liveactivity',
  'pushtotalk',
]);
const APNS_PRIORITIES = new Set(['1', '5', '10']);
const URGENCIES = new Set(['very-low', 'low', 'normal', 'high']);
const WNS_TYPES = new Set(['toast', 'tile', 'badge', 'raw']);
/** Header values that every server accepts: printable ASCII without line breaks. */
const HEADER_VALUE = /^[\x20-\x7e]{1,256}$/;
const TARGETS = new Set(['token', 'topic', 'condition']);

/**
 * The whole payload that a caller gives for a provider, in the form its client takes.
 *
 * @throws InvalidPayload
 */
export function readOverride(provider: Provider, payload: unknown): JsonObject {
  if (!isObject(payload)) throw invalid(provider, 'payload must be an object');
  return READERS[provider](payload);
}

const READERS: Readonly<Record<Provider, (payload: JsonObject) => JsonObject>> = {
  fcm: (payload) => readMessage('fcm', payload),
  apns: readApns,
  webpush: readWebPush,
  hms: (payload) => readMessage('hms', payload),
  wns: readWns,
  realtime: (payload) => payload,
};

/** The payload must not name recipients. */
function readMessage(provider: Provider, payload: JsonObject): JsonObject {
  const whole = 'message' in payload ? payload : { message: payload };
  const { message } = whole;
  if (!isObject(message)) throw invalid(provider, 'message must be an object');
  const kept = Object.fromEntries(Object.entries(message).filter(([name]) => !TARGETS.has(name)));
  return { ...whole, message: kept };
}

function readApns(payload: JsonObject): JsonObject {
  const headers = headersOf('apns', payload);
  const type = headers['apns-push-type'];
  if (type !== undefined && !(typeof type === 'string' && APNS_PUSH_TYPES.has(type))) {
    throw invalid('apns', 'apns-push-type is not known');
  }
  const priority = headers['apns-priority'];
  if (priority !== undefined && !(typeof priority === 'string' && APNS_PRIORITIES.has(priority))) {
    throw invalid('apns', 'apns-priority must be "1", "5" or "10"');
  }
  const expiration = headers['apns-expiration'];
  if (expiration !== undefined && typeof expiration !== 'string' && typeof expiration !== 'number') {
    throw invalid('apns', 'apns-expiration must be a string or a number');
  }
  if (typeof expiration === 'string') checkHeader('apns', 'apns-expiration', expiration);
  for (const name of ['apns-topic', 'apns-collapse-id']) checkHeader('apns', name, headers[name]);
  return payload;
}

function readWebPush(payload: JsonObject): JsonObject {
  const { ttl, urgency, topic, vapidAudience } = headersOf('webpush', payload);
  const whole = typeof ttl === 'number' && Number.isSafeInteger(ttl) && ttl >= 0;
  if (ttl !== undefined && !whole && !(typeof ttl === 'string' && /^\d{1,10}$/.test(ttl))) {
    throw invalid('webpush', 'ttl must be a number of seconds');
  }
  if (urgency !== undefined && !(typeof urgency === 'string' && URGENCIES.has(urgency))) {
    throw invalid('webpush', 'urgency must be very-low, low, normal or high');
  }
  checkHeader('webpush', 'topic', topic);
  if (vapidAudience !== undefined && typeof vapidAudience !== 'string') {
    throw invalid('webpush', 'vapidAudience must be a string');
  }
  return payload;
}

function readWns(payload: JsonObject): JsonObject {
  const { type = 'toast', xml, tag } = payload;
  if (typeof type !== 'string' || !WNS_TYPES.has(type))
    throw invalid('wns', 'type must be toast, tile, badge or raw');
  if (xml !== undefined && typeof xml !== 'string') throw invalid('wns', 'xml must be a string');
  if ((type === 'tile' || type === 'badge') && xml === undefined) throw invalid('wns', `${type} needs xml`);
  if (typeof tag === 'string') checkHeader('wns', 'tag', tag);
  return { ...payload, type };
}

/** @throws InvalidPayload if the value cannot be sent as a header. */
function checkHeader(provider: Provider, name: string, value: unknown): void {
  if (value === undefined) return;
  if (typeof value !== 'string') throw invalid(provider, `${name} must be a string`);
  if (!HEADER_VALUE.test(value))
    throw invalid(provider, `${name} must be 1 to 256 printable ASCII characters`);
}

function headersOf(provider: Provider, { headers = {} }: JsonObject): JsonObject {
  if (!isObject(headers)) throw invalid(provider, 'headers must be an object');
  return headers;
}

const invalid = (provider: Provider, text: string) =>
  new InvalidPayload(provider, `invalid ${inBodies(provider)} override: ${text}`);
