import type { WireFormat } from '@carillon/protocol';

/** Position in a frame. */
export interface Place {
  readonly streamId: string | null;
  readonly serial: number | null;
}

/** Reads it without the code that wrote it. */
export function placeOf(format: WireFormat, payload: Buffer): Place {
  if (format === 'json') {
    const frame = JSON.parse(payload.toString()) as { stream_id?: string; serial?: number };
    return { streamId: frame.stream_id ?? null, serial: frame.serial ?? null };
  }
  return format === 'messagepack' ? ofMessagePack(payload) : ofProtobuf(payload);
}

const STREAM_ID = 9;
const SERIAL = 10;

function ofMessagePack(payload: Buffer): Place {
  const [frame] = readValue(payload, 0);
  const [streamId, serial] = Array.isArray(frame) ? [frame[STREAM_ID], frame[SERIAL]] : [];
  return {
    streamId: typeof streamId === 'string' ? streamId : null,
    serial: typeof serial === 'number' ? serial : null,
  };
}

type Read = readonly [value: unknown, at: number];

/** The part of MessagePack that the service writes. */
function readValue(bytes: Buffer, at: number): Read {
  const tag = bytes.readUInt8(at);
  const next = at + 1;
  if (tag < 0x80) return [tag, next];
  if (tag < 0x90) return readMany(bytes, next, 2 * (tag & 0x0f));
  if (tag < 0xa0) return readMany(bytes, next, tag & 0x0f);
  if (tag < 0xc0) return readText(bytes, next, tag & 0x1f);
  switch (tag) {
    case 0xc0:
      return [null, next];
    case 0xc2:
    case 0xc3:
      return [tag === 0xc3, next];
    case 0xc4:
    case 0xd9:
      return readText(bytes, next + 1, bytes.readUInt8(next));
    case 0xc5:
    case 0xda:
      return readText(bytes, next + 2, bytes.readUInt16BE(next));
    case 0xcb:
      return [bytes.readDoubleBE(next), next + 8];
    case 0xcc:
      return [bytes.readUInt8(next), next + 1];
    case 0xcd:
      return [bytes.readUInt16BE(next), next + 2];
    case 0xce:
      return [bytes.readUInt32BE(next), next + 4];
    case 0xcf:
      return [Number(bytes.readBigUInt64BE(next)), next + 8];
    case 0xdc:
      return readMany(bytes, next + 2, bytes.readUInt16BE(next));
    case 0xde:
      return readMany(bytes, next + 2, 2 * bytes.readUInt16BE(next));
    default:
      throw new Error(`MessagePack ${tag}`);
  }
}

const readText = (bytes: Buffer, at: number, length: number): Read => [
  bytes.toString('utf8', at, at + length),
  at + length,
];

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

/** Fields 10 and 11 of the frame. */
function ofProtobuf(payload: Buffer): Place {
  let [streamId, serial]: [string | null, number | null] = [null, null];
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = payload.readUInt8(at);
      at += 1;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  };
  while (at < payload.length) {
    const tag = varint();
    const value = varint();
    if (tag === 88) serial = value;
    if (tag % 8 !== 2) continue;
    if (tag === 82) streamId = payload.toString('utf8', at, at + value);
    at += value;
  }
  return { streamId, serial };
}
