import { Decoder, Encoder } from '@msgpack/msgpack';
import { isJsonObject, memberOf } from '../json/parse-object.js';
import { extrasToWire } from './extras.js';
import { sortedTags, wireData, type FrameV2 } from './frame.js';
import {
  binaryExtras,
  extrasTextOf,
  jsonData,
  jsonTextData,
  undecodable,
  type BinaryExtras,
  type Decoded,
  type ReceivedData,
  type TaggedHeader,
} from './received.js';
import { isOneMessagePackValue } from './scan-messagepack.js';
import type { WireNames } from './wire-names.js';

/** First byte of a list of 15, the form of a frame. */
const LIST_OF_15 = 0x9f;
const ELEMENTS = [
  'event',
  'channel',
  'data',
  'name',
  'user_id',
  'tags',
  'sequence',
  'conflation_key',
  'message_id',
  'stream_id',
  'serial',
  'idempotency_key',
  'extras',
  'delta_sequence',
  'delta_conflation_key',
] as const;

const encoder = new Encoder({ sortKeys: true });
/** Numbers of headers are always written as floats. */
const floating = new Encoder({ sortKeys: true, forceIntegerToFloat: true });
const decoder = new Decoder({ useBigInt64: true });

/** The bytes of a frame on a protocol 2 connection of format MessagePack. */
export function encodeMessagePack(frame: FrameV2, names: WireNames): Uint8Array {
  const tags = sortedTags(frame.tagsText);
  const before = [
    names.toWire(frame.event).toWellFormed(),
    frame.channel?.toWellFormed() ?? null,
    taggedData(frame),
    frame.name?.toWellFormed() ?? null,
    frame.userId?.toWellFormed() ?? null,
    tags.length === 0 ? null : Object.fromEntries(tags),
    null,
    null,
    frame.messageId?.toWellFormed() ?? null,
    frame.streamId?.toWellFormed() ?? null,
    frame.serial ?? null,
    null,
  ];
  const extrasText = frame.extrasText ?? null;
  const extras = extrasText === null ? null : binaryExtras(extrasToWire(extrasText, names));
  const after = floating.encode([extras === null ? null : extrasMap(extras), null, null]);
  // Lists of fewer than 16 have a first byte of their own; the elements follow one another.
  return Buffer.concat([Uint8Array.of(LIST_OF_15), encoder.encode(before).subarray(1), after.subarray(1)]);
}

function taggedData(frame: FrameV2): readonly [string, unknown] | null {
  const data = wireData(frame);
  if (data === null) return null;
  if (data.kind === 'string') return ['string', data.value.toWellFormed()];
  return data.kind === 'json' ? ['json', data.text.toWellFormed()] : ['binary', data.bytes];
}

const WORD_FOR = { string: 'string', number: 'number', boolean: 'bool' } as const;

function extrasMap({ headers, ephemeral, echo, transport, codec }: BinaryExtras): object {
  const tagged = headers.map(
    ([name, value]) => [name, [WORD_FOR[typeof value as keyof typeof WORD_FOR], value]] as const,
  );
  return {
    ...(tagged.length === 0 ? {} : { headers: Object.fromEntries(tagged) }),
    ...(ephemeral === null ? {} : { ephemeral }),
    ...(echo === null ? {} : { echo }),
    ...(transport.length + codec.length === 0
      ? {}
      : { ai: { transport: Object.fromEntries(transport), codec: Object.fromEntries(codec) } }),
  };
}

/** Reads a frame of format MessagePack. Never throws. Time and memory are linear in the frame. */
export function decodeMessagePack(frame: ArrayBuffer | string): Decoded {
  if (typeof frame === 'string') return undecodable('The frame is not binary');
  const bytes = new Uint8Array(frame);
  if (!isOneMessagePackValue(bytes)) return undecodable('The frame is not one MessagePack value');
  let value: unknown;
  try {
    value = decoder.decode(bytes);
  } catch {
    return undecodable('The frame is not one MessagePack value');
  }
  const members = Array.isArray(value)
    ? Object.fromEntries(ELEMENTS.map((name, at) => [name, (value as readonly unknown[])[at]] as const))
    : value;
  if (!isJsonObject(members)) return undecodable('The frame is neither a list nor a map');
  const event = memberOf(members, 'event');
  const channel = memberOf(members, 'channel');
  if (typeof event !== 'string' || event === '') {
    return undecodable('event must be a string and not empty', channel);
  }
  const data = readData(memberOf(members, 'data'));
  if (data === null) return undecodable('data must be tagged', channel);
  const extras = readExtrasValue(memberOf(members, 'extras'));
  if (extras === undefined) return undecodable('extras must be a map or a list', channel);
  const messageId = memberOf(members, 'message_id');
  return {
    ok: true,
    frame: {
      event,
      channel: typeof channel === 'string' ? channel : null,
      data,
      messageId: messageId === undefined ? null : typeof messageId === 'string' ? messageId : undefined,
      extrasText: extras === null ? null : extrasTextOf(extras),
    },
  };
}

/** Null: invalid format. */
function readData(value: unknown): ReceivedData | null {
  if (value === undefined) return { kind: 'none' };
  if (typeof value === 'string') return jsonData(value);
  if (!Array.isArray(value) || value.length !== 2) return null;
  const [tag, content] = value as readonly unknown[];
  if (tag === 'string' && typeof content === 'string') return jsonData(content);
  if (tag === 'json' && typeof content === 'string') return jsonTextData(content);
  // Copied, because it is a view of the frame, whose native buffer is reused after the call.
  if (tag === 'binary' && content instanceof Uint8Array)
    return { kind: 'bytes', bytes: Buffer.from(content) };
  return tag === 'structured' && Array.isArray(content) ? structured(content) : null;
}

/** Returns the object of `[channel_data, channel, user_data, {name: JSON text}]`. */
function structured(parts: readonly unknown[]): ReceivedData | null {
  const [channelData, channel, userData, extra] = parts;
  const members: [string, unknown][] = [];
  for (const [name, value] of [
    ['channel_data', channelData],
    ['channel', channel],
    ['user_data', userData],
  ] as const) {
    if (typeof value === 'string') members.push([name, value]);
  }
  for (const [name, text] of isJsonObject(extra) ? Object.entries(extra) : []) {
    const value = typeof text === 'string' ? jsonTextData(text) : null;
    if (value?.kind !== 'json') return null;
    members.push([name, value.value]);
  }
  return jsonData(Object.fromEntries(members));
}

/** Null: none. Undefined: invalid format. */
function readExtrasValue(value: unknown): BinaryExtras | null | undefined {
  if (value === undefined) return null;
  if (Array.isArray(value)) {
    const [headers, ephemeral, idempotencyKey, echo, ai] = value as readonly unknown[];
    const [transport, codec] = Array.isArray(ai) ? (ai as readonly unknown[]) : [];
    return extrasOf({ headers, ephemeral, idempotencyKey, echo, transport, codec });
  }
  if (!isJsonObject(value)) return undefined;
  const ai = memberOf(value, 'ai');
  return extrasOf({
    headers: memberOf(value, 'headers'),
    ephemeral: memberOf(value, 'ephemeral'),
    echo: memberOf(value, 'echo'),
    idempotencyKey: memberOf(value, 'idempotency_key') ?? memberOf(value, 'idempotencyKey'),
    transport: isJsonObject(ai) ? memberOf(ai, 'transport') : undefined,
    codec: isJsonObject(ai) ? memberOf(ai, 'codec') : undefined,
  });
}

function extrasOf(parts: Readonly<Record<string, unknown>>): BinaryExtras | undefined {
  const headers = headersOf(parts['headers']);
  if (headers === undefined) return undefined;
  const { ephemeral, echo, idempotencyKey } = parts;
  return {
    headers,
    ephemeral: typeof ephemeral === 'boolean' ? ephemeral : null,
    echo: typeof echo === 'boolean' ? echo : null,
    idempotencyKey: typeof idempotencyKey === 'string' ? idempotencyKey : null,
    transport: textsOf(parts['transport']),
    codec: textsOf(parts['codec']),
  };
}

const isHeaderValue = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' ||
  typeof value === 'boolean' ||
  (typeof value === 'number' && Number.isFinite(value));

function headersOf(value: unknown): readonly TaggedHeader[] | undefined {
  if (value === undefined || value === null) return [];
  if (!isJsonObject(value)) return undefined;
  const headers: TaggedHeader[] = [];
  for (const [name, tagged] of Object.entries(value)) {
    const header: unknown = Array.isArray(tagged) && tagged.length === 2 ? (tagged as unknown[])[1] : tagged;
    const number = typeof header === 'bigint' ? Number(header) : header;
    if (!isHeaderValue(number)) return undefined;
    headers.push([name, number]);
  }
  return headers;
}

function textsOf(value: unknown): readonly (readonly [string, string])[] {
  if (!isJsonObject(value)) return [];
  return Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
}
