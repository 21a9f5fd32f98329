import type { Message } from '@carillon/protocol';
import { isObject, type JsonObject, parseJson } from '../json.js';
import type { WireFormat } from '../wire.js';
import type { NewMessage } from './read-message.js';

/**
 * What a native message cannot say of itself stands in headers of its extras, which no other publisher can write: the
 * encoding, and that name or data are not there.
 */
const ENCODING = 'service_encoding';
const NAMELESS = 'service_nameless';
const NO_DATA = 'service_no_data';
const RESERVED = 'service_';

const EVENT_WITHOUT_NAME = 'message';
const INTERNAL = /^(pusher|service:|service_internal:)/;
/** Ids that realtime connections give their messages begin with their own. */
const REALTIME_ID = /^(\d+\.\d+):\d+:\d+$/;

/** What a native publish says of the message. */
export interface NativeParts {
  readonly event: string;
  readonly dataText: string;
  readonly extrasText: string | null;
}

export function toNative({ name, data, encoding, extras }: NewMessage): NativeParts {
  const { headers, push: _push, ...others } = extras ?? {};
  const own = isObject(headers)
    ? Object.fromEntries(Object.entries(headers).filter(([key]) => !key.startsWith(RESERVED)))
    : {};
  const all = {
    ...own,
    ...(encoding === null ? {} : { [ENCODING]: encoding }),
    ...(name === null ? { [NAMELESS]: true } : {}),
    ...(data === null ? { [NO_DATA]: true } : {}),
  };
  const kept = Object.keys(all).length === 0 ? others : { ...others, headers: all };
  return {
    event: name ?? EVENT_WITHOUT_NAME,
    dataText: JSON.stringify(data ?? 'null'),
    extrasText: Object.keys(kept).length === 0 ? null : JSON.stringify(kept),
  };
}

/** A message as clients get it, in the form of JSON. */
export interface WireMessage {
  readonly id: string;
  readonly name?: string;
  readonly data?: string;
  readonly encoding?: string;
  readonly clientId?: string;
  readonly connectionId?: string;
  readonly timestamp: number;
  readonly action: number;
  readonly extras?: JsonObject;
}

type NativeMessage = Pick<Message, 'dataText' | 'event' | 'extrasText' | 'messageId' | 'userId'>;

/** Null: it is nothing for these clients. */
export function fromNative(message: NativeMessage, timestamp: number): WireMessage | null {
  const { event, messageId, userId, extrasText } = message;
  if (INTERNAL.test(event)) return null;
  const parsed = extrasText === null ? null : parseJson(extrasText);
  const extras = isObject(parsed) ? parsed : {};
  const headers = isObject(extras['headers']) ? extras['headers'] : {};
  const isNameless = headers[NAMELESS] === true && event === EVENT_WITHOUT_NAME;
  const shown = shownExtras(extras, headers);
  const connectionId = REALTIME_ID.exec(messageId)?.[1];
  return {
    id: messageId,
    ...(isNameless ? {} : { name: event }),
    ...dataOf(message.dataText, headers),
    ...(userId === null ? {} : { clientId: userId }),
    ...(connectionId === undefined ? {} : { connectionId }),
    timestamp,
    action: 0,
    ...(shown === null ? {} : { extras: shown }),
  };
}

function dataOf(dataText: string | null, headers: JsonObject): Pick<WireMessage, 'data' | 'encoding'> {
  if (dataText === null || headers[NO_DATA] === true) return {};
  const encoding = headers[ENCODING];
  const value = parseJson(dataText);
  if (typeof value !== 'string') return { data: dataText, encoding: 'json' };
  return typeof encoding === 'string' ? { data: value, encoding } : { data: value };
}

function shownExtras(extras: JsonObject, headers: JsonObject): JsonObject | null {
  const { echo: _echo, push: _push, headers: _headers, ...others } = extras;
  const own = Object.entries(headers).filter(([key]) => !key.startsWith(RESERVED));
  const shown = own.length === 0 ? others : { ...others, headers: Object.fromEntries(own) };
  return Object.keys(shown).length === 0 ? null : shown;
}

const BASE64 = /(^|\/)base64$/;

/** In MessagePack what was binary is binary again. */
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
