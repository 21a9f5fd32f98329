import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileFilter, FilterSubject, type FilterableEvent, type FilterRules } from '../src/index.js';

const RULES: FilterRules = {
  eventNamesEnabled: true,
  tagsEnabled: true,
  maxEventNames: 50,
  maxEventNameBytes: 200,
};

const event = (more: Partial<FilterableEvent> = {}): FilterSubject =>
  new FilterSubject({
    event: 'order.paid',
    channel: 'orders',
    dataText: '"{\\"total\\":125}"',
    name: null,
    userId: null,
    tagsText: null,
    headersText: null,
    messageId: 'm-1',
    streamId: null,
    serial: null,
    action: null,
    ...more,
  });

const tagged = (tags: Record<string, string>): FilterSubject => event({ tagsText: JSON.stringify(tags) });
const large = (bytes: number): FilterSubject => event({ dataText: JSON.stringify('x'.repeat(bytes)) });
const nestedDeep = (levels: number): FilterSubject =>
  event({ dataText: '['.repeat(levels) + ']'.repeat(levels) });

function accepts(filter: unknown, subject: FilterSubject, rules = RULES): boolean {
  const compiled = compileFilter(filter, rules);
  if (!compiled.ok) throw new Error(compiled.reason);
  return compiled.filter?.accepts(subject) ?? true;
}

const isMalformed = (filter: unknown, rules = RULES): boolean => !compileFilter(filter, rules).ok;

const nested = (levels: number): unknown =>
  levels === 1 ? { key: 'a', cmp: 'ex' } : { op: 'not', nodes: [nested(levels - 1)] };
const leaves = (count: number): unknown => ({
  op: 'and',
  nodes: Array.from({ length: count - 1 }, () => ({ key: 'a', cmp: 'ex' })),
});

describe('event names', () => {
  it('admit the listed names, and events about a message by the name it had', () => {
    expect(accepts({ events: ['a', 'order.paid'] }, event())).toBe(true);
    expect(accepts({ events: ['a'] }, event())).toBe(false);
    expect(accepts({ events: ['a'] }, event({ event: 'service:message.update', name: 'a' }))).toBe(true);
    expect(accepts({ events: [] }, event())).toBe(true);
  });

  it.each([
    [{ events: 'a' }],
    [{ events: [''] }],
    [{ events: [1] }],
    [{ events: Array.from({ length: 51 }, (_, n) => `e${n}`) }],
    [{ events: ['x'.repeat(201)] }],
    ['a'],
    [[]],
    [{}],
  ])('are refused where malformed: %j', (filter) => {
    expect(isMalformed(filter)).toBe(true);
    expect(isMalformed(filter, { ...RULES, eventNamesEnabled: false, tagsEnabled: false })).toBe(true);
  });
});

describe('a tag node', () => {
  it.each<[string, object, boolean, boolean, boolean]>([
    ['eq', { val: 'us' }, true, false, false],
    ['neq', { val: 'us' }, false, true, true],
    ['in', { vals: ['us', 'ca'] }, true, false, false],
    ['nin', { vals: ['us', 'ca'] }, false, true, true],
    ['ex', {}, true, true, false],
    ['nex', {}, false, false, true],
    ['sw', { val: 'u' }, true, false, false],
    ['ew', { val: 's' }, true, false, false],
    ['ct', { val: 'us' }, true, false, false],
  ])('%s is right where the tag is equal, different, missing', (cmp, values, equal, different, missing) => {
    const node = { key: 'region', cmp, ...values };
    const found = [tagged({ region: 'us' }), tagged({ region: 'eu' }), event()].map((one) =>
      accepts(node, one),
    );
    expect(found).toEqual([equal, different, missing]);
  });

  it.each([
    ['gt', '2', [false, false, true]],
    ['gte', 2, [false, true, true]],
    ['lt', '2.0', [true, false, false]],
    ['lte', '2e0', [true, true, false]],
  ])('%s compares decimal numbers', (cmp, val, expected) => {
    const node = { tags: { key: 'n', cmp, val } };
    expect(['-1.5', '2', '+10'].map((n) => accepts(node, tagged({ n })))).toEqual(expected);
    expect(['', 'x', '0x10', 'Infinity', '1e999'].map((n) => accepts(node, tagged({ n })))).not.toContain(
      true,
    );
  });

  it('joins nodes', () => {
    const [us, vip] = [
      { key: 'region', cmp: 'eq', val: 'us' },
      { key: 'vip', cmp: 'eq', val: true },
    ];
    const both = { op: 'and', nodes: [us, vip] };
    expect(accepts(both, tagged({ region: 'us', vip: 'true' }))).toBe(true);
    expect(accepts(both, tagged({ region: 'us' }))).toBe(false);
    expect(accepts({ op: 'or', nodes: [us, vip] }, tagged({ vip: 'true' }))).toBe(true);
    expect(accepts({ op: 'not', nodes: [us] }, event())).toBe(true);
  });

  it('takes no inherited member for a tag', () => {
    expect(accepts({ key: 'constructor', cmp: 'ex' }, event())).toBe(false);
  });

  it('goes as far as its bounds', () => {
    for (const filter of [nested(16), leaves(128)]) expect(isMalformed(filter)).toBe(false);
    expect([nested(17), leaves(129)].map((filter) => isMalformed(filter))).toEqual([true, true]);
  });

  it.each([
    [{ key: 'a', cmp: 'eq' }],
    [{ key: 'a', cmp: 'eq', val: '' }],
    [{ key: 'a', cmp: 'eq', val: {} }],
    [{ key: 'a', cmp: 'in' }],
    [{ key: 'a', cmp: 'in', vals: [] }],
    [{ key: 'a', cmp: 'in', vals: Array.from({ length: 129 }, () => 'x') }],
    [{ key: 'a', cmp: 'like', val: 'x' }],
    [{ key: 'a', cmp: 'constructor', val: 'x' }],
    [{ key: '', cmp: 'ex' }],
    [{ key: 'k'.repeat(257), cmp: 'ex' }],
    [{ key: 'a', cmp: 'eq', val: 'v'.repeat(1025) }],
    [{ key: 'a', cmp: 'ex', nodes: [] }],
    [{ op: 'and', nodes: [] }],
    [{ op: 'and', nodes: [{ key: 'a', cmp: 'ex' }], key: 'b' }],
    [
      {
        op: 'not',
        nodes: [
          { key: 'a', cmp: 'ex' },
          { key: 'b', cmp: 'ex' },
        ],
      },
    ],
    [{ op: 'xor', nodes: [{ key: 'a', cmp: 'ex' }] }],
    [{ tags: 'a' }],
  ])('is refused where malformed, active or not: %j', (filter) => {
    expect(isMalformed(filter)).toBe(true);
    expect(isMalformed(filter, { ...RULES, tagsEnabled: false })).toBe(true);
  });

  it('is ignored while filtering by tags is off', () => {
    expect(accepts({ key: 'a', cmp: 'ex' }, event(), { ...RULES, tagsEnabled: false })).toBe(true);
    expect(accepts({ expression: '`false`' }, event(), { ...RULES, tagsEnabled: false })).toBe(true);
  });
});

describe('an expression', () => {
  it('sees text of an object or list as what it holds', () => {
    expect(accepts({ expression: 'data.total >= `100`' }, event())).toBe(true);
    expect(accepts({ expression: 'data.total >= `100`' }, event({ dataText: '"{\\"total\\":5}"' }))).toBe(
      false,
    );
    expect(accepts({ expression: "data == '7'" }, event({ dataText: '"7"' }))).toBe(true);
  });

  it.each([
    ["event == 'order.paid'", true],
    ["channel == 'orders'", true],
    ['name', false],
    ["tags.region == 'eu'", true],
    ["headers.prio == 'high'", true],
    ['headers.service_action', false],
    ['extras', false],
    ['serial == `0`', true],
    ['serial', true],
    ["messageId == 'm-1'", true],
    ['streamId == `null`', true],
    ['`{}` || `[]` || `""` || `false`', false],
    ['!name', true],
    ['to_string(data)', true],
    ['abs(event)', false],
    ['sum(data)', false],
  ])('%s is %s', (expression, expected) => {
    const subject = event({
      tagsText: '{"region":"eu"}',
      headersText: '{"prio":"high","service_action":"message.create"}',
      serial: 0,
    });
    expect(accepts({ expression: { language: 'jmespath', source: expression } }, subject)).toBe(expected);
  });

  it.each([
    ['a'.repeat(4097)],
    [`a${'.a'.repeat(32)}`],
    [`[${'a,'.repeat(256)}a]`],
    ['('.repeat(2000)],
    ['a['],
    ['a ='],
    [''],
    ['[0:1:0]'],
    ['nope(a)'],
    ['abs()'],
    ['`{`'],
    ["'open"],
    ['a b'],
    ['#'],
    [{ language: 'sql', source: 'a' }],
    [{ language: 'jmespath' }],
    [7],
  ])('is refused where malformed: %j', (expression) => {
    expect(isMalformed({ expression })).toBe(true);
  });

  it('over a document that is too large is no', () => {
    expect(accepts({ expression: '`true`' }, large(65_000))).toBe(true);
    expect(accepts({ expression: '`true`' }, large(65_536))).toBe(false);
  });

  it('over a document nested deeper than the stack is no, and throws nothing', () => {
    expect(accepts({ expression: '`true`' }, nestedDeep(100))).toBe(true);
    expect(accepts({ expression: '`true`' }, nestedDeep(32_000))).toBe(false);
  });

  it('that is made to take long is no, soon', () => {
    const doubled = Array.from({ length: 30 }, () => '[@,@]').join('|');
    const list = event({ dataText: JSON.stringify(Array.from({ length: 10_000 }, (_, n) => n % 7)) });
    const hostile = [
      `to_string(${doubled})`,
      `(${doubled}) == (${doubled})`,
      Array.from({ length: 15 }, () => '[@,@][]').join('|'),
      `data[?length(map(&@, @)) || data[?@ == \`1\`]]`,
      'data[*].[@,@][].[@,@][].[@,@][].[@,@][].[@,@][]',
      'sort_by(data, &to_string(@)) | [?contains(to_string(@), to_string(@))]',
    ];
    const started = process.cpuUsage();
    for (const expression of hostile) accepts({ expression }, list);
    const { user } = process.cpuUsage(started);
    // Without a bound each takes minutes or all memory.
    expect(user / 1000).toBeLessThan(5000);
  });
});

it('compiling and judging never throws, whatever was sent', () => {
  const filter = fc.oneof(
    fc.jsonValue(),
    fc.record(
      { events: fc.jsonValue(), tags: fc.jsonValue(), expression: fc.string({ unit: 'binary' }) },
      { requiredKeys: [] },
    ),
  );
  fc.assert(
    fc.property(filter, fc.json(), fc.json(), (value, dataText, tagsText) => {
      const compiled = compileFilter(value, RULES);
      if (compiled.ok) compiled.filter?.accepts(event({ dataText, tagsText, headersText: tagsText }));
      else expect(compiled.reason.length).toBeLessThan(100);
    }),
  );
});
