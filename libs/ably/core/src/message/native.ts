import { type Message, readReservedEvent } from '@carillon/protocol';
import { isObject, type JsonObject, parseJson } from '../json.js';
import type { WireFormat } from '../wire.js';
import { ACTION_NUMBER, actionNumber } from './actions.js';

/**
 * Reserved headers in the extras of a native message, which no other publisher can write. They hold properties that a
 * native message lacks: the encoding, a missing name or missing data, and the connection if it does not follow from
 * the id.
 */
const ENCODING = 'service_encoding';
const NAMELESS = 'service_nameless';
const NO_DATA = 'service_no_data';
const CONNECTION = 'service_connection_id';
const RESERVED = 'service_';
/** The placeholder for missing data. Appended data follows it. */
const NOTHING = 'null';

const EVENT_WITHOUT_NAME = 'message';
/** Ids that realtime connections give their messages begin with their own. */
const REALTIME_ID = /^(\d+\.\d+):\d+:\d+$/;
/** A serial begins with the time it was made. */
const SERIAL_TIME = /^(\d{1,20}):/;

/** The content of a message from an Ably client; null: absent. */
export interface Content {
  readonly name: string | null;
  readonly data: string | null;
  readonly encoding: string | null;
  readonly extras: JsonObject | null;
}

/** The corresponding fields of a native publish. */
export interface NativeParts {
  readonly event: string;
  readonly dataText: string;
  readonly extrasText: string | null;
}

/**
 * Converts content to a native publish. `connection`: the publishing connection; empty: none, regardless of the id;
 * null: derived from the id.
 */
export const toNative = (content: Content, connection: string | null = null): NativeParts => ({
  event: content.name ?? EVENT_WITHOUT_NAME,
  dataText: JSON.stringify(content.data ?? NOTHING),
  extrasText: nativeExtras(content, connection),
});

function nativeExtras({ name, data, encoding, extras }: Content, connection: string | null): string | null {
  const { headers, push: _push, ...others } = extras ?? {};
  const own = isObject(headers)
    ? Object.fromEntries(Object.entries(headers).filter(([key]) => !key.startsWith(RESERVED)))
    : {};
  const all = {
    ...own,
    ...(encoding === null ? {} : { [ENCODING]: encoding }),
    ...(name === null ? { [NAMELESS]: true } : {}),
    ...(data === null ? { [NO_DATA]: true } : {}),
    ...(connection === null ? {} : { [CONNECTION]: connection }),
  };
  const kept = Object.keys(all).length === 0 ? others : { ...others, headers: all };
  return Object.keys(kept).length === 0 ? null : JSON.stringify(kept);
}

/** A version of a message as clients get it. */
export interface WireVersion {
  readonly serial: string;
  readonly timestamp: number;
  readonly clientId?: string;
  readonly description?: string;
  readonly metadata?: JsonObject;
}

/** A message as clients get it, in the form of JSON. */
export interface WireMessage {
  readonly id?: string;
  readonly name?: string;
  readonly data?: string;
  readonly encoding?: string;
  readonly clientId?: string;
  readonly connectionId?: string;
  readonly timestamp: number;
  readonly action: number;
  readonly serial?: string;
  readonly version?: WireVersion;
  readonly annotations?: { readonly summary: JsonObject };
  readonly extras?: JsonObject;
}

/** The fields of a message, received live or read from history. */
export interface NativeMessage {
  /** Null: it has no name. */
  readonly name: string | null;
  readonly action: number;
  /** JSON text; null if there is no data. */
  readonly dataText: string | null;
  /** The data is bytes, of which its text is the list. */
  readonly isBytes: boolean;
  /** The data is a string that holds published JSON of another type. */
  readonly isJsonText: boolean;
  readonly extras: JsonObject;
  /** Null: unknown. */
  readonly id: string | null;
  readonly userId: string | null;
  /** Null: the message is not mutable. */
  readonly serial: string | null;
  readonly version: WireVersion | null;
}

type Live = Pick<
  Message,
  | 'dataText'
  | 'event'
  | 'extrasText'
  | 'isBytes'
  | 'isJsonText'
  | 'messageId'
  | 'name'
  | 'userId'
  | 'versionText'
>;

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const timeOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);

/** Whether the name is that of a service event, which Ably clients can neither publish nor receive. */
export const isReserved = (name: string | null): boolean => name !== null && readReservedEvent(name) !== null;

/** Null: it is nothing for these clients. */
export function fromNative(message: Live, timestamp: number): WireMessage | null {
  const { event, name, messageId, userId, dataText, extrasText } = message;
  const parsed = extrasText === null ? null : parseJson(extrasText);
  const extras = isObject(parsed) ? parsed : {};
  const headers = headersOf(extras);
  const serial = textOf(headers['service_message_serial']);
  const action = actionNumber(textOf(headers['service_action']) ?? '');
  // The event name of a change is that of its action.
  const own = action === ACTION_NUMBER.create ? event : name;
  if (isReserved(own)) return null;
  const versionSerial = textOf(headers['service_version_serial']);
  const version =
    versionSerial === null
      ? null
      : {
          serial: versionSerial,
          timestamp: timeOf(headers['service_version_timestamp_ms']) ?? timestamp,
          ...aboutVersion(message.versionText === undefined ? null : parseJson(message.versionText)),
        };
  const [isBytes, isJsonText] = [message.isBytes === true, message.isJsonText === true];
  return shownOf(
    { name: own, action, dataText, isBytes, isJsonText, extras, id: messageId, userId, serial, version },
    timestamp,
  );
}

/** Converts the author and metadata of a version from the native form. */
export function aboutVersion(about: unknown): Omit<WireVersion, 'serial' | 'timestamp'> {
  if (!isObject(about)) return {};
  const { client_id: clientId, description, metadata } = about;
  return {
    ...(typeof clientId === 'string' ? { clientId } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    ...(isObject(metadata) ? { metadata } : {}),
  };
}

/** Returns the connection that a message id encodes, or undefined if there is none. */
export const connectionById = (messageId: string): string | undefined => REALTIME_ID.exec(messageId)?.[1];

/** The connection that published a message; undefined: none is known. */
export function connectionOf({
  messageId,
  extrasText,
}: Pick<Message, 'extrasText' | 'messageId'>): string | undefined {
  const extras = extrasText?.includes(CONNECTION) === true ? parseJson(extrasText) : null;
  return connectionIn(isObject(extras) ? headersOf(extras) : {}, messageId);
}

function connectionIn({ [CONNECTION]: said }: JsonObject, id: string | null): string | undefined {
  if (typeof said === 'string') return said === '' ? undefined : said;
  return id === null ? undefined : connectionById(id);
}

/** Converts a message to the form of clients. A change carries the creation time of the message. */
export function shownOf(message: NativeMessage, timestamp: number): WireMessage {
  const { name, action, id, userId, serial, version, extras } = message;
  const headers = headersOf(extras);
  const isNameless = name === null || (headers[NAMELESS] === true && name === EVENT_WITHOUT_NAME);
  const shown = shownExtras(extras, headers);
  const connectionId = connectionIn(headers, id);
  return {
    ...(id === null ? {} : { id }),
    ...(isNameless ? {} : { name }),
    ...dataOf(message, headers),
    ...(userId === null ? {} : { clientId: userId }),
    ...(connectionId === undefined ? {} : { connectionId }),
    timestamp: serial === null ? timestamp : Number(SERIAL_TIME.exec(serial)?.[1] ?? timestamp),
    action,
    ...(serial === null ? {} : { serial }),
    ...(version === null ? {} : { version }),
    ...(shown === null ? {} : { extras: shown }),
  };
}

/** Whether the stored data of a message begins with the placeholder for missing data. */
export const beginsWithNothing = (item: unknown): boolean =>
  isObject(item) && isObject(item['extras']) && headersOf(item['extras'])[NO_DATA] === true;

/** Returns the connection stored in a message's headers, or null if there is none. */
export const connectionBeside = (item: unknown): string | null =>
  isObject(item) && isObject(item['extras']) ? textOf(headersOf(item['extras'])[CONNECTION]) : null;

const headersOf = ({ headers }: JsonObject): JsonObject => (isObject(headers) ? headers : {});

function dataOf(
  { dataText, isBytes, isJsonText, action }: NativeMessage,
  headers: JsonObject,
): Pick<WireMessage, 'data' | 'encoding'> {
  if (dataText === null) return {};
  const encoding = headers[ENCODING];
  const value = parseJson(dataText);
  if (isBytes && Array.isArray(value))
    return { data: Buffer.from(value as number[]).toString('base64'), encoding: 'base64' };
  if (typeof value !== 'string') return { data: dataText, encoding: 'json' };
  if (isJsonText) return { data: value, encoding: 'json' };
  const isWhole = action !== ACTION_NUMBER.append;
  const data = headers[NO_DATA] === true && isWhole ? value.slice(NOTHING.length) : value;
  if (data === '' && headers[NO_DATA] === true) return {};
  return typeof encoding === 'string' ? { data, encoding } : { data };
}

function shownExtras(extras: JsonObject, headers: JsonObject): JsonObject | null {
  const { echo: _echo, push: _push, headers: _headers, ...others } = extras;
  const own = Object.entries(headers).filter(([key]) => !key.startsWith(RESERVED));
  const shown = own.length === 0 ? others : { ...others, headers: Object.fromEntries(own) };
  return Object.keys(shown).length === 0 ? null : shown;
}

const BASE64 = /(^|\/)base64$/;

/** Converts base64 data back to binary for MessagePack. */
export function inFormat(
  message: { readonly data?: string; readonly encoding?: string },
  format: WireFormat,
): object {
  const { data, encoding } = message;
  if (format === 'json' || data === undefined || encoding === undefined || !BASE64.test(encoding))
    return message;
  const { encoding: _encoding, ...others } = message;
  const outer = encoding.replace(BASE64, '');
  const bytes = Buffer.from(data, 'base64');
  return outer === '' ? { ...others, data: bytes } : { ...others, data: bytes, encoding: outer };
}
