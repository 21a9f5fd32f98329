import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeV1Frame } from '../src/index.js';

const bytes = (text: string): ArrayBuffer => new TextEncoder().encode(text).slice().buffer;

describe('a client event', () => {
  it('is read with its data as written', () => {
    const text = '{"event":"client-typing","channel":"private-orders","data":{ "on" : true, "n": 1.00 }}';
    const read = {
      kind: 'client-event',
      event: 'client-typing',
      channel: 'private-orders',
      dataText: '{ "on" : true, "n": 1.00 }',
    };
    expect(decodeV1Frame(text)).toEqual(read);
    expect(decodeV1Frame(bytes(text))).toEqual(read);
  });

  it('may be one of AI transport', () => {
    expect(decodeV1Frame('{"event":"ai-input","channel":"ai-x","data":1}')).toEqual({
      kind: 'client-event',
      event: 'ai-input',
      channel: 'ai-x',
      dataText: '1',
    });
  });

  it('keeps any JSON value, whatever else the frame holds', () => {
    fc.assert(
      fc.property(fc.json(), fc.dictionary(fc.string(), fc.jsonValue()), (data, more) => {
        const { event: _event, channel: _channel, data: _data, ...others } = more;
        const rest = JSON.stringify(others).slice(1, -1);
        const text = `{${rest}${rest === '' ? '' : ','}"data":${data},"event":"client-x","channel":"private-é"}`;
        expect(decodeV1Frame(bytes(text))).toEqual({
          kind: 'client-event',
          event: 'client-x',
          channel: 'private-é',
          dataText: data,
        });
      }),
    );
  });

  it.each([
    ['null', 'null'],
    ['12345678901234567890', '12345678901234567890'],
    ['1e400', '1e400'],
    ['"{\\"a\\":1}"', '"{\\"a\\":1}"'],
    ['"\\ud800"', '"\\ud800"'],
    ['{"__proto__":{"a":1},"constructor":2}', '{"__proto__":{"a":1},"constructor":2}'],
  ])('keeps %s', (data, dataText) => {
    const read = decodeV1Frame(`{"event":"client-x","channel":"private-a","data":${data}}`);
    expect(read).toMatchObject({ kind: 'client-event', dataText });
  });

  it('tells absent data from null', () => {
    expect(decodeV1Frame('{"event":"client-x","channel":"private-a"}')).toMatchObject({ dataText: null });
  });

  it.each(['', ',"channel":null', ',"channel":7', ',"channel":{}'])('has no channel with %j', (channel) => {
    const read = decodeV1Frame(`{"event":"client-x"${channel}}`);
    expect(read).toMatchObject({ kind: 'client-event', channel: null });
  });
});
