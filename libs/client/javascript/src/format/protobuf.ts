import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { Extras, Frame, HeaderValue, ReceivedFrame, WireFormat } from './frame.js';
import { idempotencyKeyOf, mapMember, member, wireDataOf } from './wire-data.js';

const text = (writer: BinaryWriter, field: number, value: string): BinaryWriter =>
  writer.tag(field, WireType.LengthDelimited).string(value);

const part = (writer: BinaryWriter, field: number, write: () => void): void => {
  writer.tag(field, WireType.LengthDelimited).fork();
  write();
  writer.join();
};

function encodeFrame({ event, channel, data, messageId, extras }: Frame): Uint8Array<ArrayBuffer> {
  const writer = new BinaryWriter();
  text(writer, 1, event);
  if (channel !== undefined) text(writer, 2, channel);
  const wire = wireDataOf(data);
  if (wire !== null) {
    part(writer, 3, () => {
      if (wire.kind === 'binary') writer.tag(4, WireType.LengthDelimited).bytes(wire.bytes);
      else text(writer, wire.kind === 'string' ? 1 : 3, wire.text);
    });
  }
  if (messageId !== undefined) text(writer, 9, messageId);
  if (extras !== undefined) part(writer, 13, () => writeExtras(writer, extras));
  return new Uint8Array(writer.finish());
}

function writeExtras(writer: BinaryWriter, extras: Extras): void {
  const { headers = {}, ephemeral, echo, ai } = extras;
  const key = idempotencyKeyOf(extras);
  for (const [name, value] of Object.entries(headers)) {
    part(writer, 1, () => {
      text(writer, 1, name);
      part(writer, 2, () => writeHeader(writer, value));
    });
  }
  if (ephemeral !== undefined) writer.tag(2, WireType.Varint).bool(ephemeral);
  if (key !== null) text(writer, 3, key);
  if (echo !== undefined) writer.tag(4, WireType.Varint).bool(echo);
  if (ai !== undefined) {
    part(writer, 5, () => {
      writeMap(writer, 1, ai.transport);
      writeMap(writer, 2, ai.codec);
    });
  }
}

function writeHeader(writer: BinaryWriter, value: HeaderValue): void {
  if (typeof value === 'string') text(writer, 1, value);
  else if (typeof value === 'number') writer.tag(2, WireType.Bit64).double(value);
  else writer.tag(3, WireType.Varint).bool(value);
}

function writeMap(writer: BinaryWriter, field: number, map: Readonly<Record<string, string>> = {}): void {
  for (const [name, value] of Object.entries(map)) {
    part(writer, field, () => text(text(writer, 1, name), 2, value));
  }
}

type Fields = Readonly<Record<number, (reader: BinaryReader) => void>>;

/** Reads the given fields and skips others. */
function read(bytes: Uint8Array, fields: Fields): void {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    const known = fields[field];
    if (known === undefined) reader.skip(type, field);
    else known(reader);
  }
}

function entryOf<Value>(
  bytes: Uint8Array,
  valueOf: (reader: BinaryReader) => Value,
): [string, Value | undefined] {
  let name = '';
  let value: Value | undefined;
  read(bytes, {
    1: (reader) => (name = reader.string()),
    2: (reader) => (value = valueOf(reader)),
  });
  return [name, value];
}

const textEntry = (reader: BinaryReader): [string, string] => {
  const [name, value = ''] = entryOf(reader.bytes(), (inner) => inner.string());
  return [name, value];
};

function dataOf(bytes: Uint8Array): unknown {
  let data: unknown;
  read(bytes, {
    1: (reader) => (data = reader.string()),
    3: (reader) => (data = JSON.parse(reader.string()) as unknown),
    4: (reader) => (data = reader.bytes()),
  });
  return data;
}

function headerOf(reader: BinaryReader): HeaderValue | undefined {
  let value: HeaderValue | undefined;
  read(reader.bytes(), {
    1: (inner) => (value = inner.string()),
    2: (inner) => (value = inner.double()),
    3: (inner) => (value = inner.bool()),
  });
  return value;
}

function extrasOf(bytes: Uint8Array): Extras {
  const headers: [string, HeaderValue][] = [];
  const transport: [string, string][] = [];
  const codec: [string, string][] = [];
  let ephemeral: boolean | undefined;
  let echo: boolean | undefined;
  read(bytes, {
    1: (reader) => {
      const [name, value] = entryOf(reader.bytes(), headerOf);
      if (value !== undefined) headers.push([name, value]);
    },
    2: (reader) => (ephemeral = reader.bool()),
    4: (reader) => (echo = reader.bool()),
    5: (reader) =>
      read(reader.bytes(), {
        1: (inner) => transport.push(textEntry(inner)),
        2: (inner) => codec.push(textEntry(inner)),
      }),
  });
  const ai = { ...mapMember('transport', transport), ...mapMember('codec', codec) };
  return {
    ...mapMember('headers', headers),
    ...member('ephemeral', ephemeral),
    ...member('echo', echo),
    ...(Object.keys(ai).length === 0 ? {} : { ai }),
  };
}

function decodeFrame(bytes: Uint8Array): ReceivedFrame | null {
  const texts = new Map<number, string>();
  const tags: [string, string][] = [];
  let data: unknown;
  let serial: number | undefined;
  let extras: Extras | undefined;
  const keep = (field: number) => (reader: BinaryReader) => texts.set(field, reader.string());
  read(bytes, {
    1: keep(1),
    2: keep(2),
    3: (reader) => (data = dataOf(reader.bytes())),
    4: keep(4),
    5: keep(5),
    6: (reader) => tags.push(textEntry(reader)),
    9: keep(9),
    10: keep(10),
    11: (reader) => (serial = Number(reader.uint64())),
    13: (reader) => (extras = extrasOf(reader.bytes())),
  });
  const event = texts.get(1) ?? '';
  if (event === '') return null;
  return {
    event,
    ...member('channel', texts.get(2)),
    // Data may be an explicit null.
    ...(data === undefined ? {} : { data }),
    ...member('name', texts.get(4)),
    ...member('userId', texts.get(5)),
    ...mapMember('tags', tags),
    ...member('messageId', texts.get(9)),
    ...member('streamId', texts.get(10)),
    ...member('serial', serial),
    ...member('extras', extras),
  };
}

/** The format Protobuf. */
export const protobuf: WireFormat = {
  name: 'protobuf',
  encode: encodeFrame,
  decode: (data) => {
    if (typeof data === 'string') return null;
    try {
      return decodeFrame(new Uint8Array(data));
    } catch {
      return null;
    }
  },
};
