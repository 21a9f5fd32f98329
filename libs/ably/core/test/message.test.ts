import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CompatError } from '../src/compat-error.js';
import { fromItem } from '../src/message/item.js';
import { connectionOf, fromNative, inFormat, isReserved, toNative } from '../src/message/native.js';
import { readEdit } from '../src/message/read-edit.js';
import { readMessage } from '../src/message/read-message.js';
import { decodeWire, encodeWire } from '../src/wire.js';

const ANYBODY = { clientId: null, mayBeAnybody: true };
const RULES = { maxBytes: 65_536, maxNameBytes: 200, isReserved };

const through = (value: unknown, format: 'json' | 'msgpack'): object | null => {
  const received = decodeWire(Buffer.from(encodeWire(value, format)), format);
  const message = readMessage(received, ANYBODY, RULES);
  const native = { ...toNative(message), name: null, messageId: 'a:0', userId: message.clientId };
  const shown = fromNative(native, 1);
  return shown === null ? null : inFormat(shown, format);
};

const codeOf = (work: () => unknown): number => {
  try {
    work();
    return 0;
  } catch (error) {
    if (error instanceof CompatError) return error.code;
    throw error;
  }
};

describe('messages', () => {
  it('come back as they were published, in both formats', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 50 });
    const name = text.filter((one) => one !== '' && !/^(pusher|service)/.test(one));
    const encoding = fc.constantFrom('json', 'utf-8', 'cipher+aes-128-cbc', 'json/utf-8/cipher+aes');
    const body = fc.record({ name, data: text, encoding }, { requiredKeys: [] });
    fc.assert(
      fc.property(body, fc.constantFrom('json', 'msgpack'), (message, format) => {
        const { encoding: written, data, ...others } = message;
        const expected =
          data === undefined ? others : { ...others, data, ...(written && { encoding: written }) };
        expect(through(message, format)).toEqual({
          ...expected,
          id: 'a:0',
          timestamp: 1,
          action: 0,
        });
      }),
    );
  });

  it.each(['live', 'item'])('of bytes from a native client are binary too: %s', (how) => {
    const bytes = Buffer.from([0, 1, 255]);
    const live = {
      event: 'client-x',
      name: null,
      dataText: JSON.stringify([...bytes]),
      isBytes: true,
      messageId: 'a',
      userId: null,
      extrasText: null,
    } as const;
    const item = { event: 'client-x', data: [...bytes], data_kind: 'bytes', message_id: 'a' };
    const shown = how === 'live' ? fromNative(live, 1) : fromItem(item, null, 1);
    expect(shown).toMatchObject({ data: bytes.toString('base64'), encoding: 'base64' });
    const { data, encoding } = inFormat(shown ?? {}, 'msgpack') as { data: Uint8Array; encoding?: string };
    expect([Buffer.from(data), encoding]).toEqual([bytes, undefined]);
  });

  it('are binary again in MessagePack and base64 in JSON', () => {
    const data = Buffer.from([1, 2, 255]);
    const shown = through({ data, encoding: 'cipher+aes' }, 'msgpack');
    expect(shown).toMatchObject({ encoding: 'cipher+aes' });
    expect(Buffer.from((shown as { data: Uint8Array }).data)).toEqual(data);
  });

  it.each([
    [{ extras: { unknown: 1 } }, 40_032],
    [{ serial: 'a' }, 40_000],
    [{ data: 'a'.repeat(65_537) }, 40_009],
    [{ data: 5, encoding: 'utf-8' }, 40_013],
    ['text', 40_000],
  ])('that cannot be published are refused', (value, code) => {
    expect(codeOf(() => readMessage(value, ANYBODY, RULES))).toBe(code);
  });

  it('are not made of bytes within JSON, which nobody could read again', () => {
    const bytes = new Uint8Array([1, 2]);
    for (const data of [{ inside: bytes }, [[bytes]]])
      expect(codeOf(() => through({ data }, 'msgpack'))).toBe(40_013);
    expect(codeOf(() => through({ extras: { headers: { inside: bytes } } }, 'msgpack'))).toBe(40_032);
    expect(through({ data: bytes }, 'msgpack')).toMatchObject({ data: Buffer.from(bytes) });
  });

  it('are from the connection that published them, whatever id they chose', () => {
    const content = { name: 'n', data: 'x', encoding: null, extras: null };
    const from = (messageId: string, connection: string | null): (string | undefined)[] => {
      const native = { ...toNative(content, connection), name: null, messageId, userId: null };
      return [connectionOf(native), fromNative(native, 1)?.connectionId];
    };
    expect(from('1.2:0:0', null)).toEqual(['1.2', '1.2']);
    expect(from('own', null)).toEqual([undefined, undefined]);
    expect(from('own', '1.2')).toEqual(['1.2', '1.2']);
    expect(from('3.4:0:0', '1.2')).toEqual(['1.2', '1.2']);
    expect(from('3.4:0:0', '')).toEqual([undefined, undefined]);
  });

  it('are not called what clients of other protocols take for a word of the service, nor shown where they are', () => {
    for (const name of ['pusher:error', 'pusher_internal:x', 'service:error', 'service_internal:x']) {
      expect(codeOf(() => readMessage({ name }, ANYBODY, RULES))).toBe(40_000);
      expect(codeOf(() => readEdit({ name }, 's', ANYBODY, RULES))).toBe(40_000);
      const native = {
        ...toNative({ name, data: 'x', encoding: null, extras: null }),
        messageId: 'a',
        userId: null,
      };
      expect(fromNative({ ...native, name: null }, 1)).toBeNull();
      expect(fromItem({ name, message_serial: 's', action: 'update', data: 'x' }, 'a', 1)).toBeNull();
    }
    expect(through({ name: 'pushers' }, 'json')).toMatchObject({ name: 'pushers' });
  });

  it('of others are refused', () => {
    const ada = { clientId: 'ada', mayBeAnybody: false };
    expect(codeOf(() => readMessage({ clientId: 'bob' }, ada, RULES))).toBe(40_012);
    expect(readMessage({}, ada, RULES).clientId).toBe('ada');
  });
});

const bytesOf = (byte: number): Uint8Array => new Uint8Array(9).fill(byte);

describe('bytes', () => {
  it('are read or refused as 40000, whatever they are', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.constantFrom('json', 'msgpack'), (bytes, format) => {
        expect([0, 40_000]).toContain(codeOf(() => decodeWire(bytes, format)));
      }),
    );
  });

  it('of a decoded MessagePack value stay the same when its input is overwritten', () => {
    const input = Buffer.from(
      encodeWire({ data: bytesOf(1), list: [{ data: bytesOf(2) }] }, 'msgpack') as Uint8Array,
    );
    const value = decodeWire(input, 'msgpack');
    input.fill(0xc1);
    expect(value).toEqual({ data: Buffer.from(bytesOf(1)), list: [{ data: Buffer.from(bytesOf(2)) }] });
  });

  it('after a value, long lists and deep ones are refused', () => {
    const long = encodeWire(
      Array.from({ length: 4097 }, () => 0),
      'msgpack',
    );
    expect(codeOf(() => decodeWire(Buffer.from(long), 'msgpack'))).toBe(40_000);
    expect(codeOf(() => decodeWire(Buffer.from([0x00, 0x00]), 'msgpack'))).toBe(40_000);
    expect(
      codeOf(() => decodeWire(Buffer.from([...Array.from({ length: 40 }, () => 0x91), 0]), 'msgpack')),
    ).toBe(40_000);
  });
});
