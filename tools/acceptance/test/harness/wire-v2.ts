// The wire formats of protocol 2, written anew from the specification: nothing of the service is used.

/** The wire formats. */
export const FORMATS = ['json', 'messagepack', 'protobuf'] as const;
export type Format = (typeof FORMATS)[number];

/** A frame to a client; absent members are undefined. */
export interface FrameV2 {
  readonly event: string;
  readonly channel?: string | undefined;
  readonly data?: unknown;
  readonly name?: string | undefined;
  readonly message_id?: string | undefined;
  readonly stream_id?: string | undefined;
  readonly serial?: number | undefined;
  /** Read in JSON only. */
  readonly extras?: { readonly headers?: Readonly<Record<string, unknown>> } | undefined;
}

/** The bytes of a request. */
export function encode(format: Format, event: string, data: unknown): Buffer {
  const json = JSON.stringify(data);
  if (format === 'json') return Buffer.from(JSON.stringify({ event, data }));
  if (format === 'protobuf') return Buffer.concat([field(1, event), lengthed(3, field(3, json))]);
  const nil = Buffer.from([0xc0]);
  const tagged = Buffer.concat([Buffer.from([0x92]), text('json'), text(json)]);
  return Buffer.concat([
    Buffer.from([0x9f]),
    text(event),
    nil,
    tagged,
    ...Array.from({ length: 12 }, () => nil),
  ]);
}

export function decode(format: Format, bytes: Buffer): FrameV2 {
  if (format === 'json') return JSON.parse(bytes.toString()) as FrameV2;
  return format === 'messagepack' ? fromMessagePack(bytes) : fromProtobuf(bytes);
}

function text(value: string): Buffer {
  const body = Buffer.from(value);
  const head = Buffer.from([0xda, body.length >> 8, body.length & 0xff]);
  return Buffer.concat([head, body]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return Buffer.from([...bytes, rest]);
}

const lengthed = (number: number, body: Buffer): Buffer =>
  Buffer.concat([varint(number * 8 + 2), varint(body.length), body]);
const field = (number: number, value: string): Buffer => lengthed(number, Buffer.from(value));

type Read = readonly [value: unknown, at: number];

function fromMessagePack(bytes: Buffer): FrameV2 {
  const [value, end] = readValue(bytes, 0);
  if (!Array.isArray(value) || value.length !== 15 || end !== bytes.length) throw new Error('no frame');
  const elements: readonly unknown[] = value.map((one: unknown) => one ?? undefined);
  const [event, channel, data, name] = elements;
  const [kind, told] = Array.isArray(data) ? (data as [string, unknown]) : ['', undefined];
  return {
    event: String(event),
    channel: channel as string | undefined,
    data: kind === 'json' ? JSON.parse(String(told)) : told,
    name: name as string | undefined,
    message_id: elements[8] as string | undefined,
    stream_id: elements[9] as string | undefined,
    serial: elements[10] as number | undefined,
  };
}

/** How many bytes of length stand behind these tags. */
const LENGTHS: ReadonlyMap<number, number> = new Map([
  [0xc4, 1],
  [0xd9, 1],
  [0xc5, 2],
  [0xda, 2],
  [0xc6, 4],
  [0xdb, 4],
]);
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
  if (tag < 0x90) return readMany(bytes, next, 2 * (tag & 0x0f));
  if (tag < 0xa0) return readMany(bytes, next, tag & 0x0f);
  if (tag < 0xc0) return [bytes.toString('utf8', next, next + (tag & 0x1f)), next + (tag & 0x1f)];
  if (tag === 0xc0) return [null, next];
  if (tag === 0xc2 || tag === 0xc3) return [tag === 0xc3, next];
  if (tag === 0xcb) return [bytes.readDoubleBE(next), next + 8];
  if (tag === 0xcf) return [Number(bytes.readBigUInt64BE(next)), next + 8];
  const number = NUMBERS.get(tag);
  if (number !== undefined) return [bytes.readUIntBE(next, number), next + number];
  const prefix = LENGTHS.get(tag);
  if (prefix === undefined) throw new Error(`MessagePack ${tag}`);
  const from = next + prefix;
  const to = from + bytes.readUIntBE(next, prefix);
  return [bytes.toString('utf8', from, to), to];
}

function readMany(bytes: Buffer, at: number, count: number): Read {
  const values: unknown[] = [];
  let next = at;
  for (let read = 0; read < count; read += 1) {
    const [value, end] = readValue(bytes, next);
    values.push(value);
    next = end;
  }
  return [values, next];
}

const textOf = (value: Buffer | number | undefined): string | undefined =>
  typeof value === 'object' ? value.toString() : undefined;

function fromProtobuf(bytes: Buffer): FrameV2 {
  const fields = readFields(bytes);
  const body = fields.get(3);
  const data = typeof body === 'object' ? readFields(body) : new Map<number, Buffer | number>();
  const json = data.get(3);
  const serial = fields.get(11);
  return {
    event: textOf(fields.get(1)) ?? '',
    channel: textOf(fields.get(2)),
    data: json === undefined ? textOf(data.get(1)) : JSON.parse(textOf(json) ?? ''),
    name: textOf(fields.get(4)),
    message_id: textOf(fields.get(9)),
    stream_id: textOf(fields.get(10)),
    serial: typeof serial === 'number' ? serial : undefined,
  };
}

function readFields(bytes: Buffer): ReadonlyMap<number, Buffer | number> {
  const fields = new Map<number, Buffer | number>();
  let at = 0;
  const next = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 0x80) {
      const byte = bytes.readUInt8(at);
      at += 1;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const tag = next();
    const value = next();
    const number = Math.floor(tag / 8);
    if (tag % 8 !== 2) fields.set(number, value);
    else {
      fields.set(number, bytes.subarray(at, at + value));
      at += value;
    }
  }
  return fields;
}
