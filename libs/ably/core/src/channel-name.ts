import { isUtf8 } from 'node:buffer';
import { CompatError } from './compat-error.js';

/** A channel as a client names it. */
export interface ChannelName {
  /** As sent. */
  readonly text: string;
  /** What it is about: all qualified forms share its state. */
  readonly base: string;
  /** Those of the qualifier. */
  readonly params: Readonly<Record<string, string>>;
  /** The expression that a derived channel is told messages by; null: it is no derived one. */
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
 * Reads a name.
 *
 * @throws CompatError 40010 when it is none.
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
 * Reads the name of what a request is about, which is no derived channel: those can only be subscribed to.
 *
 * @throws CompatError 40010 when it is none.
 */
export function readOwnChannelName(text: unknown): ChannelName {
  const name = readChannelName(text);
  if (name.filter !== null) throw wrong('a derived channel can only be subscribed to');
  return name;
}

/** Whether what begins so is a derived channel, if it is a channel at all. */
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

/** What begins with `#` stands for users here, whatever else it may be elsewhere. */
const isBase = (text: string): boolean => text !== '' && !/^[[:#]/.test(text) && text.isWellFormed();
