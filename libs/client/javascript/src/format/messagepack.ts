import { decode, encode } from '@msgpack/msgpack';
import type { Extras, Frame, HeaderValue, ReceivedFrame, WireFormat } from './frame.js';
import { idempotencyKeyOf, isHeaderValue, mapMember, member, wireDataOf } from './wire-data.js';

/** The index of each member in the array of a frame. */
const AT = {
  event: 0,
  channel: 1,
  data: 2,
  name: 3,
  userId: 4,
  tags: 5,
  messageId: 8,
  streamId: 9,
  serial: 10,
  extras: 12,
} as const;

type Members = Readonly<Record<string, unknown>>;

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);
const textOr = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

function taggedData(data: unknown): readonly [string, unknown] | null {
  const wire = wireDataOf(data);
  if (wire === null) return null;
  return wire.kind === 'binary' ? ['binary', wire.bytes] : [wire.kind, wire.text];
}

const TAGS = { string: 'string', number: 'number', boolean: 'bool' } as const;

const tagged = (value: HeaderValue): readonly [string, HeaderValue] => [
  TAGS[typeof value as keyof typeof TAGS],
  value,
];

function wireExtras(extras: Extras | undefined): Members | null {
  if (extras === undefined) return null;
  const { headers = {}, ephemeral, echo, ai } = extras;
  const headerEntries = Object.entries(headers).map(([name, value]) => [name, tagged(value)] as const);
  return {
    ...mapMember('headers', headerEntries),
    ...member('ephemeral', ephemeral),
    ...member('echo', echo),
    ...member('idempotency_key', idempotencyKeyOf(extras)),
    ...(ai === undefined ? {} : { ai: { transport: ai.transport ?? {}, codec: ai.codec ?? {} } }),
  };
}

function encodeFrame({ event, channel, data, messageId, extras }: Frame): Uint8Array<ArrayBuffer> {
  const list = Array.from<unknown>({ length: 15 }).fill(null);
  list[AT.event] = event;
  list[AT.channel] = channel ?? null;
  list[AT.data] = taggedData(data);
  list[AT.messageId] = messageId ?? null;
  list[AT.extras] = wireExtras(extras);
  return encode(list);
}

/** Returns the data of a tagged value; undefined if there is none or it is malformed. */
function dataOf(value: unknown): unknown {
  if (!Array.isArray(value)) return textOr(value);
  const [tag, content] = value as readonly unknown[];
  if (tag === 'json') return JSON.parse(String(content)) as unknown;
  return tag === 'string' || tag === 'binary' ? content : undefined;
}

function extrasOf(value: unknown): Extras | undefined {
  if (!isMembers(value)) return undefined;
  const { headers, ephemeral, echo, ai } = value;
  const values = Object.entries(isMembers(headers) ? headers : {}).flatMap(([name, tagged]) => {
    const header: unknown = Array.isArray(tagged) ? (tagged as readonly unknown[])[1] : tagged;
    return isHeaderValue(header) ? [[name, header] as const] : [];
  });
  return {
    ...mapMember('headers', values),
    ...(typeof ephemeral === 'boolean' ? { ephemeral } : {}),
    ...(typeof echo === 'boolean' ? { echo } : {}),
    ...(isMembers(ai) ? { ai } : {}),
  };
}

function decodeFrame(data: ArrayBuffer): ReceivedFrame | null {
  const list = decode(new Uint8Array(data)) as readonly unknown[];
  const event = Array.isArray(list) ? textOr(list[AT.event]) : undefined;
  if (event === undefined || event === '') return null;
  const tags = list[AT.tags];
  const serial = list[AT.serial];
  const sent = dataOf(list[AT.data]);
  return {
    event,
    ...member('channel', textOr(list[AT.channel])),
    // Data may be an explicit null.
    ...(sent === undefined ? {} : { data: sent }),
    ...member('name', textOr(list[AT.name])),
    ...member('userId', textOr(list[AT.userId])),
    ...(isMembers(tags) ? { tags: tags as Readonly<Record<string, string>> } : {}),
    ...member('messageId', textOr(list[AT.messageId])),
    ...member('streamId', textOr(list[AT.streamId])),
    ...member('serial', typeof serial === 'number' ? serial : undefined),
    ...member('extras', extrasOf(list[AT.extras])),
  };
}

/** The format MessagePack. */
export const messagepack: WireFormat = {
  name: 'messagepack',
  encode: encodeFrame,
  decode: (data) => {
    if (typeof data === 'string') return null;
    try {
      return decodeFrame(data);
    } catch {
      return null;
    }
  },
};
