import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compactJson, rawElements } from '../src/index.js';

const spaced = fc
  .tuple(fc.jsonValue(), fc.constantFrom(undefined, 1, '\t', ' \n\r'.slice(0, 2)))
  .map(([value, space]) => ({ value, text: JSON.stringify(value, null, space) }));

describe('compact text', () => {
  it('is what a serializer without spaces writes', () => {
    fc.assert(
      fc.property(spaced, ({ value, text }) => {
        expect(compactJson(text)).toBe(JSON.stringify(value));
      }),
    );
  });

  it('keeps digits, escapes and spaces in strings', () => {
    const text = ' { "a b" : [ 1.00 , 1e5 , -0 , 12345678901234567890 ] , "\\" \\\\" : "\\u00e9 \\\\\\" " } ';
    expect(compactJson(text)).toBe(
      '{"a b":[1.00,1e5,-0,12345678901234567890],"\\" \\\\":"\\u00e9 \\\\\\" "}',
    );
  });

  it('is found in linear time and without recursion', () => {
    const deep = '[ '.repeat(300_000) + ' ]'.repeat(300_000);
    expect(compactJson(deep)).toBe('['.repeat(300_000) + ']'.repeat(300_000));
  });
});

describe('elements of a list', () => {
  it('are each as written', () => {
    fc.assert(
      fc.property(fc.array(spaced), fc.constantFrom('', ' ', '\n\t'), (items, space) => {
        const text = `${space}[${items.map((item) => `${space}${item.text}${space}`).join(',')}${space}]${space}`;
        const elements = rawElements(text);
        expect(elements.map((one) => JSON.parse(one) as unknown)).toEqual(JSON.parse(text));
        expect(elements).toEqual(items.map((item) => item.text));
      }),
    );
  });
});
