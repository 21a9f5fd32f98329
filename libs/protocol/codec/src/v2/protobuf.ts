import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
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
import type { WireNames } from './wire-names.js';

/** The bytes of a frame on a protocol 2 connection of format Protobuf: fields in ascending order. */
export function encodeProtobuf(frame: FrameV2, names: WireNames): Uint8Array {
  const writer = new BinaryWriter();
  text(writer, 1, names.toWire(frame.event));
  text(writer, 2, frame.channel);
  const data = wireData(frame);
  if (data !== null) {
    writer.tag(3, WireType.LengthDelimited).fork();
    if (data.kind === 'string') text(writer, 1, data.value);
    else if (data.kind === 'json') text(writer, 3, data.text);
    else writer.tag(4, WireType.LengthDelimited).bytes(data.bytes);
    writer.join();
  }
  text(writer, 4, frame.name);
  text(writer, 5, frame.userId);
  textMap(writer, 6, sortedTags(frame.tagsText));
  text(writer, 9, frame.messageId);
  text(writer, 10, frame.streamId);
  if (frame.serial !== undefined && frame.serial !== null)
    writer.tag(11, WireType.Varint).uint64(frame.serial);
  const extrasText = frame.extrasText ?? null;
  const extras = extrasText === null ? null : binaryExtras(extrasToWire(extrasText, names));
  if (extras !== null) writeExtras(writer, extras);
  return writer.finish();
}

function text(writer: BinaryWriter, field: number, value: string | null | undefined): void {
  if (value !== undefined && value !== null) writer.tag(field, WireType.LengthDelimited).string(value);
}

function textMap(writer: BinaryWriter, field: number, entries: readonly (readonly [string, string])[]): void {
  for (const [name, value] of entries) {
    writer.tag(field, WireType.LengthDelimited).fork();
    text(writer, 1, name);
    text(writer, 2, value);
    writer.join();
  }
}

function writeExtras(writer: BinaryWriter, extras: BinaryExtras): void {
  writer.tag(13, WireType.LengthDelimited).fork();
  for (const [name, value] of extras.headers) {
    writer.tag(1, WireType.LengthDelimited).fork();
    text(writer, 1, name);
    writer.tag(2, WireType.LengthDelimited).fork();
    if (typeof value === 'string') text(writer, 1, value);
    else if (typeof value === 'number') writer.tag(2, WireType.Bit64).double(value);
    else writer.tag(3, WireType.Varint).bool(value);
    writer.join().join();
  }
  if (extras.ephemeral !== null) writer.tag(2, WireType.Varint).bool(extras.ephemeral);
  if (extras.echo !== null) writer.tag(4, WireType.Varint).bool(extras.echo);
  if (extras.transport.length + extras.codec.length > 0) {
    writer.tag(5, WireType.LengthDelimited).fork();
    textMap(writer, 1, extras.transport);
    textMap(writer, 2, extras.codec);
    writer.join();
  }
  writer.join();
}

/** Reads a frame of format Protobuf. Never throws. Time and memory are linear in the frame. */
export function decodeProtobuf(frame: ArrayBuffer | string): Decoded {
  if (typeof frame === 'string') return undecodable('The frame is not binary');
  try {
    return frameOf(new Uint8Array(frame));
  } catch {
    return undecodable('The frame is not a Protobuf message of the protocol');
  }
}

function frameOf(bytes: Uint8Array): Decoded {
  const texts = new Map<number, string>();
  let data: ReceivedData = { kind: 'none' };
  const extras = new ExtrasReader();
  let hasExtras = false;
  readFields(bytes, {
    1: (reader) => texts.set(1, reader.string(true)),
    2: (reader) => texts.set(2, reader.string(true)),
    3: (reader) => (data = readData(reader.bytes()) ?? data),
    9: (reader) => texts.set(9, reader.string(true)),
    13: (reader) => {
      hasExtras = true;
      extras.read(reader.bytes());
    },
  });
  const event = texts.get(1) ?? '';
  const channel = texts.get(2) ?? null;
  if (event === '') return undecodable('event must be a string and not empty', channel);
  const messageId = texts.get(9) ?? null;
  return {
    ok: true,
    frame: { event, channel, data, messageId, extrasText: hasExtras ? extras.text() : null },
  };
}

/** Readers by field number; all of them take a value with a length. */
type Fields = Readonly<Record<number, (reader: BinaryReader) => unknown>>;

/** Fields that are unknown, or written as another type than the known one, are passed over. */
function readFields(bytes: Uint8Array, fields: Fields, scalars: Fields = {}): void {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    const read = type === WireType.LengthDelimited ? fields[field] : scalars[field];
    if (read === undefined || (type !== WireType.LengthDelimited && !isScalar(field, type)))
      reader.skip(type, field);
    else read(reader);
  }
}

/** Only the number of a header's value is not a varint among the scalars that are read. */
const isScalar = (field: number, type: WireType): boolean =>
  type === WireType.Varint || (type === WireType.Bit64 && field === 2);

function readData(bytes: Uint8Array): ReceivedData | null {
  let data: ReceivedData | null = null;
  readFields(bytes, {
    1: (reader) => (data = jsonData(reader.string(true))),
    2: (reader) => (data = structured(reader.bytes())),
    3: (reader) => (data = jsonText(reader.string(true))),
    // Copied, because it is a view of the frame, whose native buffer is reused after the call.
    4: (reader) => (data = { kind: 'bytes', bytes: Buffer.from(reader.bytes()) }),
  });
  return data;
}

function jsonText(value: string): ReceivedData {
  const data = jsonTextData(value);
  if (data === null) throw new Error('json holds no JSON');
  return data;
}

function structured(bytes: Uint8Array): ReceivedData {
  const members = new Map<string, unknown>();
  readFields(bytes, {
    1: (reader) => members.set('channel_data', reader.string(true)),
    2: (reader) => members.set('channel', reader.string(true)),
    3: (reader) => members.set('user_data', reader.string(true)),
    4: (reader) => {
      const [name, value] = textEntry(reader.bytes());
      members.set(name, JSON.parse(value));
    },
  });
  return jsonData(Object.fromEntries(members));
}

function textEntry(bytes: Uint8Array): readonly [string, string] {
  let name = '';
  let value = '';
  readFields(bytes, {
    1: (reader) => (name = reader.string(true)),
    2: (reader) => (value = reader.string(true)),
  });
  return [name, value];
}

const entriesInto = (map: Map<string, string>) => (reader: BinaryReader) =>
  map.set(...textEntry(reader.bytes()));

class ExtrasReader {
  readonly #headers = new Map<string, string | number | boolean>();
  readonly #transport = new Map<string, string>();
  readonly #codec = new Map<string, string>();
  #ephemeral: boolean | null = null;
  #echo: boolean | null = null;
  #idempotencyKey: string | null = null;

  read(bytes: Uint8Array): void {
    readFields(
      bytes,
      {
        1: (reader) => this.#header(reader.bytes()),
        3: (reader) => (this.#idempotencyKey = reader.string(true)),
        5: (reader) => this.#ai(reader.bytes()),
      },
      {
        2: (reader) => (this.#ephemeral = reader.bool()),
        4: (reader) => (this.#echo = reader.bool()),
      },
    );
  }

  text(): string | null {
    const headers: readonly TaggedHeader[] = [...this.#headers];
    return extrasTextOf({
      headers,
      ephemeral: this.#ephemeral,
      echo: this.#echo,
      idempotencyKey: this.#idempotencyKey,
      transport: [...this.#transport],
      codec: [...this.#codec],
    });
  }

  #header(bytes: Uint8Array): void {
    let name = '';
    readFields(bytes, {
      1: (reader) => (name = reader.string(true)),
      2: (reader) => this.#value(name, reader.bytes()),
    });
  }

  #value(name: string, bytes: Uint8Array): void {
    readFields(
      bytes,
      { 1: (reader) => this.#headers.set(name, reader.string(true)) },
      {
        2: (reader) => this.#headers.set(name, finite(reader.double())),
        3: (reader) => this.#headers.set(name, reader.bool()),
      },
    );
  }

  #ai(bytes: Uint8Array): void {
    readFields(bytes, { 1: entriesInto(this.#transport), 2: entriesInto(this.#codec) });
  }
}

function finite(value: number): number {
  if (!Number.isFinite(value)) throw new Error('a header holds no number');
  return value;
}
