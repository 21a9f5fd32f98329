import { isUtf8 } from 'node:buffer';
import { CompatError } from './compat-error.js';

/** A channel as a client names it. */
export interface ChannelName {
  /** The name as sent. */
  readonly text: string;
  /** The channel without qualifier: all qualified forms share its state. */
  readonly base: string;
  /** The params of the qualifier. */
  readonly params: Readonly<Record<string, string>>;
  /** The filter expression of a derived channel; null if it is not a derived channel. */
  readonly filter: string | null;
}

const MAX_TEXT_BYTES = 16_384;
const MAX_BASE_BYTES = 2048;
const MAX_FILTER_BYTES = 4096;
const BASE64 = /^(?:[\w+/-]{4})*(?:[\w+/-]{2}(?:==)?|[\w+/-]{3}=?)?$/;
const FILTER = '[filter=';
const PLAIN = { params: {}, filter: null };
// oxlint-disable-next-line no-control-regex -- control characters are exactly what must not pass
const CONTROL = /[\u0000-\u001F\u007F]/;

const wrong = (text: string): CompatError => new CompatError(40_010, text);

/**
 * Parses a channel name.
 *
 * @throws CompatError 40010 if it is invalid.
 */
export function readChannelName(text: unknown): ChannelName {
  if (typeof text !== 'string' || text === '' || CONTROL.test(text)) throw wrong('channel name is not valid');
  if (Buffer.byteLength(text) > MAX_TEXT_BYTES) throw wrong('channel name is too long');
  const { base, params, filter } = text.startsWith('[') ? qualified(text) : { ...PLAIN, base: text };
  if (!isBase(base)) throw wrong('channel name is not valid');
  if (Buffer.byteLength(base) > MAX_BASE_BYTES) throw wrong('channel name is too long');
  return { text, base, params, filter };
}

/**
 * Parses the channel name of a request other than a subscription. Derived channels are not permitted: they can only
 * be subscribed to.
 *
 * @throws CompatError 40010 if it is invalid.
 */
export function readOwnChannelName(text: unknown): ChannelName {
  const name = readChannelName(text);
  if (name.filter !== null) throw wrong('a derived channel can only be subscribed to');
  return name;
}

/** Whether the text starts like the name of a derived channel; it may still be invalid. */
export const isDerived = (text: string): boolean => text.startsWith(FILTER);

function qualified(text: string): Omit<ChannelName, 'text'> {
  const end = text.indexOf(']');
  const hasFilter = isDerived(text);
  if (end < 0 || !(hasFilter || text.startsWith('[?'))) throw wrong('channel qualifier is not known');
  const written = text.slice(hasFilter ? FILTER.length : 1, end);
  const [encoded = '', ...query] = written.split('?');
  return {
    base: text.slice(end + 1),
    params: Object.fromEntries(new URLSearchParams(query.join('?'))),
    filter: hasFilter ? expressionOf(encoded) : null,
  };
}

function expressionOf(encoded: string): string {
  if (encoded === '' || !BASE64.test(encoded)) throw wrong('the filter is not base64');
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.length > MAX_FILTER_BYTES || !isUtf8(bytes)) throw wrong('the filter is no expression');
  return bytes.toString();
}

/** Names that begin with `#` are reserved for user channels. */
const isBase = (text: string): boolean => text !== '' && !/^[[:#]/.test(text) && text.isWellFormed();
