import { type ExtrasV2, type FrameV2, present, type SentFrame } from './wire-frame.js';

/** Where members stand in the list of a frame. */
const PLACES = [
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

const kindOf = (value: unknown): string => (typeof value === 'boolean' ? 'bool' : typeof value);

export function toMessagePack({ event, channel, data, message_id, extras }: SentFrame): Buffer {
  const headers = Object.entries(extras?.headers ?? {}).map(([name, value]) => [
    name,
    [kindOf(value), value],
  ]);
  const members: Readonly<Record<string, unknown>> = {
    event,
    channel,
    data: data === undefined ? undefined : tagged(data),
    message_id,
    extras: extras === undefined ? undefined : { ...extras, headers: Object.fromEntries(headers) as object },
  };
  return packed(PLACES.map((place) => members[place]));
}

const tagged = (data: unknown): readonly [kind: string, told: unknown] =>
  data instanceof Uint8Array ? ['binary', data] : ['json', JSON.stringify(data)];

function packed(value: unknown): Buffer {
  if (value instanceof Uint8Array)
    return Buffer.concat([Buffer.from([0xc5, value.length >> 8, value.length & 0xff]), value]);
  if (typeof value === 'string') {
    const body = Buffer.from(value);
    return Buffer.concat([Buffer.from([0xda, body.length >> 8, body.length & 0xff]), body]);
  }
  if (typeof value === 'boolean') return Buffer.from([value ? 0xc3 : 0xc2]);
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(9, 0xcb);
    bytes.writeDoubleBE(value, 1);
    return bytes;
  }
  if (Array.isArray(value)) return Buffer.concat([Buffer.from([0x90 + value.length]), ...value.map(packed)]);
  if (typeof value !== 'object' || value === null) return Buffer.from([0xc0]);
  const entries = Object.entries(value).filter(([, one]) => one !== undefined);
  return Buffer.concat([Buffer.from([0x80 + entries.length]), ...entries.flat().map(packed)]);
}

type Extras = Readonly<Record<string, unknown>> & {
  readonly headers?: Readonly<Record<string, readonly [kind: string, value: string]>>;
};

export function fromMessagePack(bytes: Buffer): FrameV2 {
  const [value, end] = readValue(bytes, 0);
  if (!Array.isArray(value) || value.length !== PLACES.length || end !== bytes.length)
    throw new Error('no frame');
  const members = Object.fromEntries(PLACES.map((place, at) => [place, value[at]])) as Record<
    (typeof PLACES)[number],
    unknown
  >;
  const { data, extras } = members;
  return present({
    ...members,
    event: String(members.event),
    data: dataOf(data as readonly [string, unknown] | null),
    extras: extras === null ? undefined : extrasOf(extras as Extras),
  }) as unknown as FrameV2;
}

function dataOf(data: readonly [kind: string, told: unknown] | null): unknown {
  if (data === null) return undefined;
  const [kind, told] = data;
  if (Buffer.isBuffer(told) !== (kind === 'binary')) throw new Error(`bytes as ${kind}`);
  return kind === 'json' ? JSON.parse(String(told)) : told;
}

function extrasOf({ headers, ...more }: Extras): ExtrasV2 {
  const values = Object.entries(headers ?? {}).map(([name, [, value]]) => [name, value] as const);
  return { ...more, ...(headers === undefined ? {} : { headers: Object.fromEntries(values) }) };
}

type Read = readonly [value: unknown, at: number];

/** How many bytes of length stand behind these tags. */
const LENGTHS: ReadonlyMap<number, number> = new Map([
  [0xc4, 1],
  [0xd9, 1],
  [0xc5, 2],
  [0xda, 2],
  [0xc6, 4],
  [0xdb, 4],
]);
const LAST_OF_BYTES = 0xc6;
const NUMBERS: ReadonlyMap<number, number> = new Map([
  [0xcc, 1],
  [0xcd, 2],
  [0xce, 4],
]);

/** As much of MessagePack as a server may write of such a frame. */
function readValue(bytes: Buffer, at: number): Read {
  const tag = bytes.readUInt8(at);
  const next = at + 1;
  if (tag < 0x80) return [tag, next];
  if (tag < 0x90) return readMap(bytes, next, tag & 0x0f);
  if (tag < 0xa0) return readMany(bytes, next, tag & 0x0f);
  if (tag < 0xc0) return [bytes.toString('utf8', next, next + (tag & 0x1f)), next + (tag & 0x1f)];
  if (tag === 0xc0) return [null, next];
  if (tag === 0xc2 || tag === 0xc3) return [tag === 0xc3, next];
  if (tag === 0xcb) return [bytes.readDoubleBE(next), next + 8];
  if (tag === 0xcf) return [Number(bytes.readBigUInt64BE(next)), next + 8];
  if (tag === 0xdc) return readMany(bytes, next + 2, bytes.readUInt16BE(next));
  if (tag === 0xde) return readMap(bytes, next + 2, bytes.readUInt16BE(next));
  const number = NUMBERS.get(tag);
  if (number !== undefined) return [bytes.readUIntBE(next, number), next + number];
  const prefix = LENGTHS.get(tag);
  if (prefix === undefined) throw new Error(`MessagePack ${tag}`);
  const from = next + prefix;
  const to = from + bytes.readUIntBE(next, prefix);
  return [tag <= LAST_OF_BYTES ? bytes.subarray(from, to) : bytes.toString('utf8', from, to), to];
}

function readMany(bytes: Buffer, at: number, count: number): readonly [values: unknown[], at: number] {
  const values: unknown[] = [];
  let next = at;
  for (let read = 0; read < count; read += 1) {
    const [value, end] = readValue(bytes, next);
    values.push(value);
    next = end;
  }
  return [values, next];
}

function readMap(bytes: Buffer, at: number, count: number): Read {
  const [values, end] = readMany(bytes, at, 2 * count);
  const entries = Array.from(
    { length: count },
    (_, n) => [String(values[2 * n]), values[2 * n + 1]] as const,
  );
  return [Object.fromEntries(entries), end];
}
