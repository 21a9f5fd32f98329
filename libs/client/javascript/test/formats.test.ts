import { describe, expect, it } from 'vitest';
import { json } from '../src/format/json.js';
import type { Frame, WireFormat } from '../src/format/frame.js';
import { messagepack } from '../src/format/messagepack.js';
import { protobuf } from '../src/format/protobuf.js';

const bytes = (hex: string): ArrayBuffer =>
  Uint8Array.from(hex.replace(/\s/g, '').match(/../g) ?? [], (pair) => Number.parseInt(pair, 16)).buffer;

const back = (format: WireFormat, frame: Frame): unknown => {
  const encoded = format.encode(frame);
  return format.decode(typeof encoded === 'string' ? encoded : encoded.slice().buffer);
};

describe('the binary formats', () => {
  const frame = {
    event: 'tick',
    channel: 'room:1',
    data: 'hi',
    messageId: 'm-1',
    streamId: 'st-1',
    serial: 7,
  };

  it('read the bytes of the specification', () => {
    const packed = `9f a4 74 69 63 6b a6 72 6f 6f 6d 3a 31 92 a6 73 74 72 69 6e 67 a2 68 69
      c0 c0 c0 c0 c0 a3 6d 2d 31 a4 73 74 2d 31 07 c0 c0 c0 c0`;
    const buffered = `0a 04 74 69 63 6b 12 06 72 6f 6f 6d 3a 31 1a 04 0a 02 68 69 4a 03 6d 2d 31 52 04 73 74
      2d 31 58 07`;
    expect(messagepack.decode(bytes(packed))).toEqual(frame);
    expect(protobuf.decode(bytes(buffered))).toEqual(frame);
  });

  it.each([json, messagepack, protobuf])('write what they read ($name)', (format) => {
    for (const data of ['text', { an: ['object', 1.5] }, [1], 5, true, null, undefined]) {
      const sent: Frame = {
        event: 'client-x',
        channel: 'private-ä',
        ...(data === undefined ? {} : { data }),
        messageId: 'id',
        extras: {
          headers: { text: 't', number: 1.5, flag: true },
          ephemeral: false,
          echo: true,
          ai: { transport: { 'run-id': 'r' }, codec: { a: 'b' } },
        },
      };
      expect(back(format, sent)).toEqual(sent);
    }
  });

  it.each([messagepack, protobuf])('carry bytes as they are ($name)', (format) => {
    const data = Uint8Array.of(0, 1, 255);
    expect(back(format, { event: 'client-x', data })).toEqual({ event: 'client-x', data });
  });

  it.each([json, messagepack, protobuf])('take nothing for a frame that is none ($name)', (format) => {
    for (const rubbish of ['', '0', 'ff', '80', '9f', '0a', '0a02', 'c1', '7b7d', '0a00', '5b5d', '22']) {
      expect(format.decode(bytes(rubbish))).toBeNull();
    }
    if (format !== json) expect(format.decode('{"event":"x"}')).toBeNull();
  });
});

describe('JSON', () => {
  it('keeps the exact text that differences are made of', () => {
    const baseText = '{"event":"tick","channel":"mkt","data":"{\\"p\\":100}"}';
    const told = `${baseText.slice(0, -1)},"__delta_seq":3,"__conflation_key":"BTC"}`;
    expect(json.decode(told)).toEqual({
      event: 'tick',
      channel: 'mkt',
      data: '{"p":100}',
      baseText,
      sequence: 3,
      group: 'BTC',
    });
    expect(json.decode('{"event":"tick","data":{"__delta_seq":1}}')).toEqual({
      event: 'tick',
      data: { __delta_seq: 1 },
    });
  });
});
