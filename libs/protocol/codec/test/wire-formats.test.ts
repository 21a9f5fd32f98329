import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadWireFormat, WireNames, type Decoded, type FrameV2, type WireFormatV2 } from '../src/index.js';

interface Vector {
  readonly frame: {
    readonly event: string;
    readonly channel?: string;
    readonly data?: readonly ['string' | 'json' | 'binary', string];
    readonly name?: string;
    readonly user_id?: string;
    readonly tags?: Readonly<Record<string, string>>;
    readonly message_id?: string;
    readonly stream_id?: string;
    readonly serial?: number;
    readonly extras?: {
      readonly headers?: Readonly<Record<string, readonly [string, string | number | boolean]>>;
      readonly ephemeral?: boolean;
      readonly echo?: boolean;
      readonly ai?: object;
    };
  };
  readonly messagepack: string;
  readonly protobuf: string;
}

const names = new WireNames('service');
const json = await loadWireFormat('json', names);
const messagepack = await loadWireFormat('messagepack', names);
const protobuf = await loadWireFormat('protobuf', names);
const FORMATS = { json, messagepack, protobuf };

/** Made by the libraries of Python: see make.py. */
const VECTORS = JSON.parse(
  readFileSync(new URL('../../test/vectors/wire-formats.json', import.meta.url), 'utf8'),
) as readonly Vector[];

function extrasTextOf({ extras }: Vector['frame']): string | null {
  if (extras === undefined) return null;
  const headers = Object.entries(extras.headers ?? {}).map(([name, [, value]]) => [name, value] as const);
  return JSON.stringify({
    ...extras,
    ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers) }),
  });
}

function frameOf({ frame }: Vector): FrameV2 {
  const [kind, value] = frame.data ?? [];
  return {
    event: frame.event,
    ...(frame.channel === undefined ? {} : { channel: frame.channel }),
    dataText: kind === 'string' ? JSON.stringify(value) : kind === 'json' ? (value ?? null) : null,
    dataBytes: kind === 'binary' ? Buffer.from(value ?? '', 'hex') : null,
    name: frame.name ?? null,
    userId: frame.user_id ?? null,
    tagsText: frame.tags === undefined ? null : JSON.stringify(frame.tags),
    messageId: frame.message_id ?? null,
    streamId: frame.stream_id ?? null,
    serial: frame.serial ?? null,
    extrasText: extrasTextOf(frame),
  };
}

const hex = (bytes: string | Uint8Array): string => Buffer.from(bytes).toString('hex');
const bufferOf = (bytes: string | Uint8Array): ArrayBuffer => Uint8Array.from(Buffer.from(bytes)).buffer;
const fromHex = (text: string): ArrayBuffer => bufferOf(Buffer.from(text, 'hex'));

/** Decodes a frame and overwrites its bytes, as a native buffer is reused: no view of them may be left. */
function read(format: WireFormatV2, bytes: ArrayBuffer): Decoded & { readonly ok: true } {
  const decoded = format.decode(bytes);
  new Uint8Array(bytes).fill(0xc1);
  if (!decoded.ok) throw new Error(decoded.problem);
  return decoded;
}

describe('the vectors of other libraries', () => {
  it.each(VECTORS.map((vector) => [vector.frame.event, vector] as const))('%s', (_, vector) => {
    const frame = frameOf(vector);
    expect(hex(messagepack.encode(frame))).toBe(vector.messagepack);
    expect(hex(protobuf.encode(frame))).toBe(vector.protobuf);
    for (const [format, bytes] of [
      [messagepack, vector.messagepack],
      [protobuf, vector.protobuf],
    ] as const) {
      const { frame: found } = read(format, fromHex(bytes));
      expect(found).toMatchObject({
        event: frame.event,
        channel: frame.channel ?? null,
        messageId: frame.messageId ?? null,
      });
      const [kind, value] = vector.frame.data ?? [];
      if (kind === undefined) expect(found.data).toEqual({ kind: 'none' });
      else if (kind === 'binary') expect(hex((found.data as { bytes: Uint8Array }).bytes)).toBe(value);
      else expect(found.data).toMatchObject({ kind: 'json', text: frame.dataText });
      expect(JSON.parse(found.extrasText ?? 'null')).toEqual(JSON.parse(frame.extrasText ?? 'null'));
    }
  });

  it('are those of the page', () => {
    const [page] = VECTORS;
    expect(page?.messagepack).toBe(
      '9fa47469636ba6726f6f6d3a3192a6737472696e67a26869c0c0c0c0c0a36d2d31a473742d3107c0c0c0c0',
    );
    expect(page?.protobuf).toBe('0a047469636b1206726f6f6d3a311a040a0268694a036d2d31520473742d315807');
  });
});

const text = fc.string({ unit: 'binary', maxLength: 40 }).map((one) => one.toWellFormed());
/** MessagePack refuses the one name that would mean something to JavaScript itself. */
const key = text.filter((one) => one !== '__proto__');
const texts = fc.dictionary(key, text, { maxKeys: 5 });
const header = fc.oneof(text, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean());
const anyFrame: fc.Arbitrary<FrameV2> = fc.record({
  event: text.filter((one) => one !== ''),
  channel: text,
  dataText: fc.option(fc.json().map((value) => JSON.stringify(JSON.parse(value)))),
  name: fc.option(text),
  userId: fc.option(text),
  tagsText: fc.option(texts.map((value) => JSON.stringify(value))),
  messageId: fc.option(text),
  streamId: fc.option(text),
  serial: fc.option(fc.maxSafeNat()),
  extrasText: fc.option(
    fc
      .record({
        headers: fc.dictionary(key, header, { maxKeys: 5 }),
        ephemeral: fc.boolean(),
        echo: fc.boolean(),
      })
      .map((value) => JSON.stringify(value)),
  ),
});

describe.each(Object.entries(FORMATS))('format %s', (name, format) => {
  it('says what was said', () => {
    fc.assert(
      fc.property(anyFrame, (frame) => {
        const { frame: found } = read(format, bufferOf(format.encode(frame)));
        expect(found.event).toBe(names.toWire(frame.event));
        expect(found.channel).toBe(frame.channel);
        expect(found.messageId).toBe(frame.messageId);
        if (frame.dataText === null) expect(found.data).toEqual({ kind: 'none' });
        else
          expect(found.data).toMatchObject({
            kind: 'json',
            value: JSON.parse(frame.dataText ?? '') as unknown,
          });
        const wanted = JSON.parse(frame.extrasText ?? 'null') as { headers?: object } | null;
        const got = JSON.parse(found.extrasText ?? 'null') as object | null;
        // The binary formats have no empty maps.
        if (wanted !== null && Object.keys(wanted.headers ?? {}).length === 0 && name !== 'json')
          delete wanted.headers;
        expect(got).toEqual(JSON.parse(JSON.stringify(wanted)));
      }),
      { numRuns: 300 },
    );
  });

  it('never throws, whatever comes', () => {
    const valid = anyFrame.map((frame) => Buffer.from(format.encode(frame)));
    const broken = fc
      .tuple(valid, fc.nat(), fc.nat({ max: 255 }), fc.nat())
      .map(([bytes, at, value, end]) => {
        const copy = Buffer.from(bytes);
        if (copy.length > 0) copy[at % copy.length] = value;
        return copy.subarray(0, copy.length - (end % 3));
      });
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 300 }), broken), (bytes) => {
        const decoded = format.decode(bufferOf(bytes));
        if (decoded.ok) expect(decoded.frame.event).not.toBe('');
        else expect(decoded.problem.length).toBeLessThan(100);
      }),
      { numRuns: 1000 },
    );
  });
});

const decode = (bytes: readonly number[]): Decoded => messagepack.decode(Uint8Array.from(bytes).buffer);

describe('a MessagePack frame', () => {
  const E = [0xa1, 0x65];

  it('may be shorter, or a map', () => {
    expect(decode([0x91, ...E])).toMatchObject({ ok: true, frame: { event: 'e', channel: null } });
    expect(decode([0x81, 0xa5, ...Buffer.from('event'), ...E])).toMatchObject({
      ok: true,
      frame: { event: 'e' },
    });
  });

  it('may hold data without a tag, structured data, and extras as a list', () => {
    expect(decode([0x93, ...E, 0xc0, 0xa1, 0x78])).toMatchObject({ frame: { data: { value: 'x' } } });
    const extra = [0x81, 0xa1, 0x6b, 0xa2, ...Buffer.from('[]')];
    expect(
      decode([
        0x93,
        ...E,
        0xc0,
        0x92,
        0xaa,
        ...Buffer.from('structured'),
        0x94,
        0xc0,
        0xa1,
        0x63,
        0xc0,
        ...extra,
      ]),
    ).toMatchObject({
      frame: { data: { value: { channel: 'c', k: [] } } },
    });
    const list = [0x95, 0xc0, 0xc3, 0xa1, 0x69, 0xc2, 0xc0];
    const padding = Array.from({ length: 11 }, () => 0xc0);
    expect(decode([0x9d, ...E, ...padding, ...list])).toMatchObject({
      frame: { extrasText: '{"ephemeral":true,"echo":false,"idempotencyKey":"i"}' },
    });
  });

  it.each([
    ['bytes after it', [0x91, ...E, 0xc0]],
    ['no value', []],
    ['an event that is empty', [0x91, 0xa0]],
    ['an event that is a number', [0x91, 0x01]],
    ['a value that is no frame', [0x01]],
    ['data with an unknown tag', [0x93, ...E, 0xc0, 0x92, 0xa1, 0x78, 0xa1, 0x78]],
    ['JSON data that is none', [0x93, ...E, 0xc0, 0x92, 0xa4, ...Buffer.from('json'), 0xa1, 0x7b]],
    ['a list longer than the frame', [0xdd, 0xff, 0xff, 0xff, 0xff, ...E]],
    ['a map longer than the frame', [0xdf, 0x7f, 0xff, 0xff, 0xff, ...E]],
    [
      'tags named __proto__',
      [0x96, ...E, 0xc0, 0xc0, 0xc0, 0xc0, 0x81, 0xa9, ...Buffer.from('__proto__'), 0xa1, 0x78],
    ],
    ['bytes longer than the frame', [0x92, ...E, 0xc6, 0xff, 0xff, 0xff, 0xff]],
    ['lists in lists', [...Array.from({ length: 60_000 }, () => 0x91), 0xc0]],
    ['large lists in large lists', Array.from({ length: 5000 }, () => [0xdc, 0x40, 0x00]).flat()],
  ])('with %s is refused', (_, bytes) => {
    expect(decode(bytes)).toMatchObject({ ok: false });
  });
});

it.each(['messagepack', 'protobuf'] as const)('%s takes no text frames', (format) => {
  expect(FORMATS[format].decode('{"event":"e"}')).toMatchObject({ ok: false });
});

it.each([
  ['an empty frame', ''],
  ['a length beyond the frame', '0aff'],
  ['text that is not UTF-8', '0a01ff'],
  ['JSON that is none', '0a01651a031a017b'],
  ['groups in groups', `0a0165${'1b'.repeat(5000)}`],
])('Protobuf with %s is refused', (_, bytes) => {
  expect(protobuf.decode(fromHex(bytes))).toMatchObject({ ok: false });
});

it('Protobuf passes over fields it does not know', () => {
  expect(protobuf.decode(fromHex('0a0165f20602aabb7801'))).toMatchObject({ ok: true, frame: { event: 'e' } });
});

it('shows bytes to JSON as a list of numbers, and orders tags by name', () => {
  const dataBytes = Uint8Array.of(0, 255, 128);
  expect(json.encode({ event: 'e', dataBytes, tagsText: '{"10":"a","9":"b","1":"c"}' })).toBe(
    '{"event":"e","data":[0,255,128],"tags":{"1":"c","10":"a","9":"b"}}',
  );
});
