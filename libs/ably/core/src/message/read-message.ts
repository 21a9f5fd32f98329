import { CompatError } from '../compat-error.js';
import { isObject, type JsonObject } from '../json.js';

/** One message as a client publishes it, judged. */
export interface NewMessage {
  /** Null: one is made. */
  readonly id: string | null;
  /** Null: it has none. */
  readonly name: string | null;
  /** Null: it has none. */
  readonly data: string | null;
  readonly encoding: string | null;
  readonly clientId: string | null;
  /** The extras for receivers; null if there are none. */
  readonly extras: JsonObject | null;
}

export interface MessageRules {
  readonly maxBytes: number;
  readonly maxNameBytes: number;
}

/** The limits of messages with a name. */
export interface NamedRules extends MessageRules {
  /** Whether clients of other protocols would take the name for a service event. */
  readonly isReserved: (name: string) => boolean;
}

/** The identity of a publisher. */
export interface Identity {
  readonly clientId: string | null;
  readonly mayBeAnybody: boolean;
}

const MAX_ID_BYTES = 128;
const MAX_ENCODING_BYTES = 256;
const MAX_CLIENT_ID_BYTES = 255;
/** The length to which an invalid name is truncated in error messages. */
const MAX_TOLD = 64;
const EXTRAS: ReadonlySet<string> = new Set(['ai', 'echo', 'ephemeral', 'headers', 'push', 'ref']);
const REFUSED_ON_CREATE = ['serial', 'timestamp', 'version', 'annotations'] as const;
const CREATE: ReadonlySet<unknown> = new Set([undefined, null, 0, 'message.create']);

const malformed = (text: string): CompatError => new CompatError(40_000, text);

/** @throws CompatError when it cannot be published. */
export function readMessage(value: unknown, identity: Identity, rules: NamedRules): NewMessage {
  if (!isObject(value)) throw malformed('a message must be an object');
  for (const name of REFUSED_ON_CREATE)
    if (isGiven(value[name])) throw malformed(`${name} cannot be set by a publisher`);
  if (!CREATE.has(value['action'])) throw malformed('the action is not that of a new message');
  const payload = payloadOf(value);
  if (value['id'] === '') throw new CompatError(40_031, 'id must not be empty');
  const message: NewMessage = {
    id: textOf(value, 'id', MAX_ID_BYTES, 40_031),
    name: nameOf(value, rules),
    ...payload,
    clientId: publisherOf(value, identity),
    extras: extrasOf(value['extras']),
  };
  if (sizeOf(message, payload.bytes) > rules.maxBytes)
    throw new CompatError(40_009, 'the message is too large');
  return message;
}

/** Parses the name of a message. */
export function nameOf(value: JsonObject, { maxNameBytes, isReserved }: NamedRules): string | null {
  const name = textOf(value, 'name', maxNameBytes);
  if (name !== null && isReserved(name)) throw malformed('the name is reserved');
  return name;
}

export const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

export function textOf(value: JsonObject, name: string, maxBytes: number, code = 40_000): string | null {
  const text = value[name];
  if (!isGiven(text)) return null;
  if (typeof text !== 'string' || !text.isWellFormed() || Buffer.byteLength(text) > maxBytes)
    throw new CompatError(code, `${name} must be a text of at most ${maxBytes} bytes`);
  return text === '' ? null : text;
}

/** Encodes binary data as base64 text and other non-text data as JSON. */
export function payloadOf(value: JsonObject): {
  readonly data: string | null;
  readonly encoding: string | null;
  /** The data size before base64. */
  readonly bytes: number;
} {
  const { data } = value;
  const encoding = textOf(value, 'encoding', MAX_ENCODING_BYTES);
  if (!isGiven(data)) return { data: null, encoding, bytes: 0 };
  if (typeof data === 'string') return { data, encoding, bytes: Buffer.byteLength(data) };
  if (data instanceof Uint8Array) {
    const text = Buffer.from(data).toString('base64');
    return { data: text, encoding: encoding === null ? 'base64' : `${encoding}/base64`, bytes: data.length };
  }
  if (encoding !== null) throw new CompatError(40_013, 'data with an encoding must be a text');
  if (holdsBytes(data)) throw new CompatError(40_013, 'data that is binary must be so as a whole');
  const text = JSON.stringify(data);
  return { data: text, encoding: 'json', bytes: Buffer.byteLength(text) };
}

/** Whether a value contains bytes, which JSON cannot represent. Its depth was limited when it was decoded. */
const holdsBytes = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (value instanceof Uint8Array || Object.values(value).some(holdsBytes));

/** Returns the publisher's clientId. An identified client cannot publish as another one. */
export function publisherOf(value: JsonObject, { clientId, mayBeAnybody }: Identity): string | null {
  const named = textOf(value, 'clientId', MAX_CLIENT_ID_BYTES);
  if (value['clientId'] === '' || named === '*') throw new CompatError(40_012, 'clientId is not allowed');
  if (named === null) return mayBeAnybody ? null : clientId;
  if (!mayBeAnybody && named !== clientId)
    throw new CompatError(40_012, 'clientId is not that of the publisher');
  return named;
}

export function extrasOf(value: unknown): JsonObject | null {
  if (!isGiven(value)) return null;
  if (!isObject(value)) throw new CompatError(40_032, 'extras must be an object');
  for (const name of Object.keys(value))
    if (!EXTRAS.has(name)) throw new CompatError(40_032, `extras.${name.slice(0, MAX_TOLD)} is not known`);
  const { echo, ephemeral, headers } = value;
  if (isGiven(echo) && typeof echo !== 'boolean')
    throw new CompatError(40_032, 'extras.echo must be a boolean');
  if (isGiven(ephemeral) && typeof ephemeral !== 'boolean')
    throw new CompatError(40_032, 'extras.ephemeral must be a boolean');
  if (holdsBytes(value)) throw new CompatError(40_032, 'extras must be JSON');
  if (isGiven(headers) && !isObject(headers))
    throw new CompatError(40_032, 'extras.headers must be an object');
  return value;
}

/** Returns the message size that counts against the limit, with the data before base64. */
export const sizeOf = (
  { name, clientId, extras }: Pick<NewMessage, 'clientId' | 'extras' | 'name'>,
  dataBytes: number,
): number =>
  Buffer.byteLength(name ?? '') +
  Buffer.byteLength(clientId ?? '') +
  dataBytes +
  (extras === null ? 0 : Buffer.byteLength(JSON.stringify(extras)));

const INDEXED = /^(.*):(\d+)$/s;

/**
 * The ids of messages that are published together.
 *
 * @throws CompatError 40031 when those given do not belong together.
 */
export function idsOf(messages: readonly NewMessage[], makeBase: () => string): readonly string[] {
  const given = messages.flatMap(({ id }) => id ?? []);
  if (given.length === 0) {
    const base = makeBase();
    return messages.map((_message, index) => `${base}:${index}`);
  }
  if (given.length === messages.length && given.length === 1) return given;
  const base = INDEXED.exec(given[0] ?? '')?.[1] ?? '';
  const areTogether =
    given.length === messages.length && base !== '' && given.every((id, index) => id === `${base}:${index}`);
  if (!areTogether) throw new CompatError(40_031, 'ids must be base:0, base:1 and so on');
  return given;
}
