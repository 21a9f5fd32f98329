import { isDeeperThan } from '@carillon/protocol';
import { Decoder, Encoder } from '@msgpack/msgpack';
import { CompatError } from './compat-error.js';
import { parseJson } from './json.js';

/** The two formats of everything that an Ably client sends and gets. */
export type WireFormat = 'json' | 'msgpack';

const MAX_ENTRIES = 4096;
const MAX_DEPTH = 32;
/** Exceeds any practical nesting depth, and is far below the depth that can no longer be encoded. */
const MAX_JSON_DEPTH = 512;

const encoder = new Encoder({ ignoreUndefined: true, sortKeys: false });
const decoder = new Decoder({
  maxArrayLength: MAX_ENTRIES,
  maxMapLength: MAX_ENTRIES,
  maxExtLength: 0,
});
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** A text for JSON, bytes for MessagePack. */
export const encodeWire = (value: unknown, format: WireFormat): string | Uint8Array =>
  format === 'json' ? JSON.stringify(value) : encoder.encode(value);

/**
 * Decodes one value. The result holds no view of `bytes`, which may be a native buffer that is reused after the call.
 *
 * @throws CompatError 40000 if the bytes are not exactly one value within the limits.
 */
export function decodeWire(bytes: Uint8Array, format: WireFormat): unknown {
  if (format === 'json') {
    const value = parseJson(textOf(bytes));
    if (value === undefined) throw new CompatError(40_000, 'not valid JSON');
    const mayBeDeep = bytes.length > 2 * MAX_JSON_DEPTH;
    if (mayBeDeep && isDeeperThan(value, MAX_JSON_DEPTH)) throw new CompatError(40_000, 'nested too deep');
    return value;
  }
  let value: unknown;
  try {
    // Trailing bytes are refused by the decoder itself.
    value = decoder.decode(bytes);
  } catch {
    throw new CompatError(40_000, 'not valid MessagePack');
  }
  if (isDeeperThan(value, MAX_DEPTH)) throw new CompatError(40_000, 'nested too deep');
  return withOwnBytes(value);
}

/** Replaces every view of the input by a copy, in place; the depth is checked before. */
function withOwnBytes(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) return Buffer.from(value);
  const members = value as Record<string, unknown>;
  for (const name in members) {
    const member = members[name];
    if (typeof member === 'object') members[name] = withOwnBytes(member);
  }
  return value;
}

function textOf(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new CompatError(40_000, 'not valid UTF-8');
  }
}
