import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rawMember } from '../src/index.js';
import { afterValue, afterWhitespace } from '../src/json/skip.js';

/** Any value written with any legal spacing, with escapes in names and strings, and with repeated names. */
const space = fc.stringMatching(/^[ \t\n\r]{0,2}$/);
const { value: spelled } = fc.letrec<{ value: string; text: string; name: string }>((tie) => ({
  text: fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
  name: fc.oneof(
    tie('text'),
    fc.constantFrom('"data"', '"d\\u0061ta"', '"da\\u0074a"', '"\\\\"', '"__proto__"', '"dat\\\\"', '""'),
  ),
  value: fc.oneof(
    { depthSize: 'small' },
    tie('text'),
    fc.constantFrom('null', 'true', '-0', '1e400', '12345678901234567890', '1.50', '"]}"', '"\\\\\\""'),
    fc
      .tuple(space, fc.array(tie('value')), space)
      .map(([before, items, after]) => `[${before}${items.join(`${after},${before}`)}${after}]`),
    fc.tuple(space, fc.array(fc.tuple(tie('name'), tie('value'))), space).map(([before, members, after]) => {
      const written = members.map(([name, value]) => `${name}${after}:${before}${value}`);
      return `{${before}${written.join(`${after},${before}`)}${after}}`;
    }),
  ),
}));
const objectText = fc
  .tuple(
    space,
    fc.array(fc.tuple(fc.constantFrom('"data"', '"x"', '"d\\u0061ta"', '"\\"data"'), spelled)),
    space,
  )
  .map(([gap, members, end]) => {
    const written = members.map(([name, value]) => `${gap}${name}${end}:${gap}${value}${end}`);
    return `${gap}{${written.join(',')}${end}}${gap}`;
  });

describe('the raw text of a member', () => {
  it('is what JSON.parse makes the member of, for every object and every name in it', () => {
    fc.assert(
      fc.property(objectText, (text) => {
        const parsed = JSON.parse(text) as Record<string, unknown>;
        for (const name of [...Object.keys(parsed), 'data', 'absent']) {
          const raw = rawMember(text, name);
          expect(raw !== null).toBe(Object.hasOwn(parsed, name));
          const read: unknown = raw === null ? undefined : JSON.parse(raw);
          expect(read).toEqual(parsed[name]);
          expect(raw?.trim()).toBe(raw ?? undefined);
        }
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['{"data":12345678901234567890}', '12345678901234567890'],
    ['{"data":1.50,"b":1}', '1.50'],
    ['{"data" : { "a" : [1, "}"] } , "b":2}', '{ "a" : [1, "}"] }'],
    ['{"a":{"data":1},"data":2}', '2'],
    ['{"data":1,"data":[2]}', '[2]'],
    ['{"d\\u0061ta":"x"}', '"x"'],
    ['{"data":"a\\\\"}', '"a\\\\"'],
    ['{"data":"a\\\\\\"b"}', '"a\\\\\\"b"'],
    ['{"__proto__":{"data":1}}', null],
    ['{"x":"\\"data\\":1"}', null],
    ['{}', null],
  ])('of %s is %s', (text, raw) => {
    expect(rawMember(text, 'data')).toBe(raw);
  });

  it('comes out of any depth, which takes no stack', () => {
    const deep = '['.repeat(500_000) + ']'.repeat(500_000);
    expect(rawMember(`{"a":${deep},"data":${deep}}`, 'data')).toBe(deep);
  });

  it('takes steps that end within the text, even if it is not JSON', () => {
    const unit = fc.constantFrom('{', '}', '[', ']', '"', ',', ':', '\\', '1', ' ');
    fc.assert(
      fc.property(fc.string({ unit, minLength: 1 }), (text) => {
        expect(afterValue(text, 0)).toBeLessThanOrEqual(text.length);
        expect(afterWhitespace(text, 0)).toBeLessThanOrEqual(text.length);
      }),
    );
  });
});
