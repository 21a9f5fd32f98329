import { type ExtrasV2, type FrameV2, type HeaderValue, present, type SentFrame } from './wire-frame.js';

const LENGTHED = 2;
const DOUBLE = 1;

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return Buffer.from([...bytes, rest]);
}

const lengthed = (number: number, body: Buffer): Buffer =>
  Buffer.concat([varint(number * 8 + LENGTHED), varint(body.length), body]);
const text = (number: number, value: string | undefined): Buffer =>
  value === undefined ? Buffer.alloc(0) : lengthed(number, Buffer.from(value));
const flag = (number: number, value: boolean | undefined): Buffer =>
  value === undefined ? Buffer.alloc(0) : Buffer.concat([varint(number * 8), varint(Number(value))]);

export function toProtobuf({ event, channel, data, message_id, extras }: SentFrame): Buffer {
  return Buffer.concat([
    text(1, event),
    text(2, channel),
    data === undefined ? Buffer.alloc(0) : lengthed(3, toData(data)),
    text(9, message_id),
    extras === undefined ? Buffer.alloc(0) : lengthed(13, toExtras(extras)),
  ]);
}

const toData = (data: unknown): Buffer =>
  data instanceof Uint8Array ? lengthed(4, Buffer.from(data)) : text(3, JSON.stringify(data));

function toExtras({ headers = {}, ephemeral, echo }: ExtrasV2): Buffer {
  const entries = Object.entries(headers).map(([name, value]) =>
    lengthed(1, Buffer.concat([text(1, name), lengthed(2, toHeader(value))])),
  );
  return Buffer.concat([...entries, flag(2, ephemeral), flag(4, echo)]);
}

function toHeader(value: HeaderValue): Buffer {
  if (typeof value === 'string') return text(1, value);
  if (typeof value === 'boolean') return flag(3, value);
  const bytes = Buffer.alloc(9, 2 * 8 + DOUBLE);
  bytes.writeDoubleLE(value, 1);
  return bytes;
}

/** The fields of a message, each as often as it is there. */
class Fields {
  readonly #all: (readonly [number: number, value: Buffer | number])[] = [];

  constructor(bytes: Buffer) {
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
    const take = (length: number): Buffer => bytes.subarray(at, (at += length));
    while (at < bytes.length) {
      const tag = next();
      const number = Math.floor(tag / 8);
      if (tag % 8 === LENGTHED) this.#all.push([number, take(next())]);
      else this.#all.push([number, tag % 8 === DOUBLE ? take(8).readDoubleLE() : next()]);
    }
  }

  #last(number: number): Buffer | number | undefined {
    return this.#all.findLast(([one]) => one === number)?.[1];
  }

  text(number: number): string | undefined {
    return this.bytes(number)?.toString();
  }

  bytes(number: number): Buffer | undefined {
    const value = this.#last(number);
    return typeof value === 'object' ? value : undefined;
  }

  number(number: number): number | undefined {
    const value = this.#last(number);
    return typeof value === 'number' ? value : undefined;
  }

  flag(number: number): boolean | undefined {
    const value = this.number(number);
    return value === undefined ? undefined : value !== 0;
  }

  message(number: number): Fields | undefined {
    const value = this.#last(number);
    return typeof value === 'object' ? new Fields(value) : undefined;
  }

  /** Undefined: it is not there. */
  map<Value>(number: number, read: (entry: Fields) => Value): Record<string, Value> | undefined {
    const entries = this.#all.filter(([one]) => one === number).map(([, body]) => new Fields(body as Buffer));
    if (entries.length === 0) return undefined;
    return Object.fromEntries(entries.map((entry) => [entry.text(1) ?? '', read(entry)]));
  }
}

const textEntry = (entry: Fields): string => entry.text(2) ?? '';

export function fromProtobuf(bytes: Buffer): FrameV2 {
  const fields = new Fields(bytes);
  const data = fields.message(3);
  const json = data?.text(3);
  const extras = fields.message(13);
  return present({
    event: fields.text(1) ?? '',
    channel: fields.text(2),
    data: json === undefined ? (data?.text(1) ?? data?.bytes(4)) : JSON.parse(json),
    name: fields.text(4),
    user_id: fields.text(5),
    tags: fields.map(6, textEntry),
    message_id: fields.text(9),
    stream_id: fields.text(10),
    serial: fields.number(11),
    extras: extras === undefined ? undefined : fromExtras(extras),
  }) as FrameV2;
}

function fromExtras(extras: Fields): ExtrasV2 {
  const ai = extras.message(5);
  return present({
    headers: extras.map(1, (entry) => {
      const value = entry.message(2);
      return value?.text(1) ?? value?.number(2) ?? value?.flag(3) ?? '';
    }),
    ephemeral: extras.flag(2),
    echo: extras.flag(4),
    ai: ai && present({ transport: ai.map(1, textEntry), codec: ai.map(2, textEntry) }),
  }) as ExtrasV2;
}
