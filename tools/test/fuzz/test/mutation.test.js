import { isUtf8 } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { allTokens, mutate } from '../src/mutate/mutate.js';
import { LARGEST_INPUT } from '../src/mutate/mutation.js';
import { Random } from '../src/random.js';
import { fieldsOf, joinFields, textOf } from '../src/text.js';

const INPUTS = [
  '{"event":"client-a","channel":"private-a","data":{"list":[1,2],"text":"x"}}',
  '{"event":"pusher:subscribe","data":{"channel":"orders"}}',
  'auth_key=k&auth_timestamp=1767225600',
].map((text) => Buffer.from(text));
const tokens = allTokens(['pusher:']);

/** @param {number} seed @param {number} count */
const made = (seed, count) =>
  Array.from({ length: count }, (_, index) =>
    mutate({ random: new Random(seed, index), inputs: INPUTS, tokens }),
  );

describe('mutated inputs', () => {
  it('follow from the seed alone', () => {
    expect(made(7, 500)).toEqual(made(7, 500));
    expect(made(7, 500)).not.toEqual(made(8, 500));
  });

  it('leave the inputs they are made of as they are', () => {
    const before = INPUTS.map(String);
    made(1, 500);
    expect(INPUTS.map(String)).toEqual(before);
  });

  const inputs = made(3, 20_000);
  const texts = inputs.map(textOf);

  it('are never larger than a frame, and sometimes nearly as large', () => {
    const lengths = inputs.map(({ length }) => length);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(LARGEST_INPUT);
    expect(Math.max(...lengths)).toBeGreaterThan(LARGEST_INPUT / 2);
  });

  it.each([
    ['members that come twice', /"event":[^{]*"event":/],
    ['inherited names', /__proto__/],
    ['deep nesting', /(?:\[|\{"a":|\[\{"data":){200}/],
    ['halves of surrogates, escaped', /\\ud800/i],
    ['halves of surrogates, as they are', /[\ud800-\udfff](?![\udc00-\udfff])/],
    ['numbers beyond doubles', /1e400/],
    ['numbers beyond 2^53', /9007199254740993/],
    ['long texts', /x{5000}/],
    ['names spelled with escapes', /\\u00[0-9a-f]{2}[a-z]*":/i],
    ['JSON in text', /:"\{\\"/],
    ['halves of two inputs', /^\{"event[^]*auth_timestamp=1767225600$/],
    ['malformed escapes of a query', /%zz/],
  ])('have %s', (_, pattern) => {
    expect(texts.some((text) => pattern.test(text))).toBe(true);
  });

  it('are cut off, broken as UTF-8, and often enough still JSON', () => {
    expect(
      inputs.some((bytes) => INPUTS.some((one) => bytes.length < one.length && one.indexOf(bytes) === 0)),
    ).toBe(true);
    expect(inputs.some((bytes) => !isUtf8(bytes))).toBe(true);
    const readable = texts.filter((text) => {
      try {
        return JSON.parse(text) !== null;
      } catch {
        return false;
      }
    });
    expect(readable.length).toBeGreaterThan(inputs.length / 5);
  });
});

describe('inputs as text', () => {
  it('are UTF-8, and three bytes more that stand for half a surrogate pair', () => {
    expect(textOf(Buffer.from('aä😀'))).toBe('aä😀');
    expect(textOf(Buffer.from([0x61, 0xed, 0xa0, 0x80, 0x62]))).toBe('a\ud800b');
    expect(textOf(Buffer.from([0xed, 0xbf, 0xbf]))).toBe('\udfff');
    expect(textOf(Buffer.from('\ud7ff'))).toBe('\ud7ff');
    expect(textOf(Buffer.from([0xff]))).toBe('\ufffd');
  });

  it('have as many fields as are asked for', () => {
    const bytes = joinFields(['a', '', 'c'].map((text) => Buffer.from(text)));
    expect(fieldsOf(bytes, 3)).toEqual(['a', '', 'c']);
    expect(fieldsOf(bytes, 2)).toEqual(['a', '']);
    expect(fieldsOf(bytes, 4)).toEqual(['a', '', 'c', '']);
  });
});
