import { CompatError } from './compat-error.js';

/** A channel as a client names it. */
export interface ChannelName {
  /** As sent. */
  readonly text: string;
  /** What it is about: all qualified forms share its state. */
  readonly base: string;
  /** Those of the qualifier. */
  readonly params: Readonly<Record<string, string>>;
}

const MAX_TEXT_BYTES = 16_384;
const MAX_BASE_BYTES = 2048;
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
  const { base, params } = text.startsWith('[') ? qualified(text) : { base: text, params: {} };
  if (!isBase(base)) throw wrong('channel name is not valid');
  if (Buffer.byteLength(base) > MAX_BASE_BYTES) throw wrong('channel name is too long');
  return { text, base, params };
}

function qualified(text: string): Pick<ChannelName, 'base' | 'params'> {
  const end = text.indexOf(']');
  if (end < 0 || !text.startsWith('[?')) throw wrong('channel qualifier is not known');
  return {
    base: text.slice(end + 1),
    params: Object.fromEntries(new URLSearchParams(text.slice(2, end))),
  };
}

/** What begins with `#` stands for users here, whatever else it may be elsewhere. */
const isBase = (text: string): boolean => text !== '' && !/^[[:#]/.test(text) && text.isWellFormed();
