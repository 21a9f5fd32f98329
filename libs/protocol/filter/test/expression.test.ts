import { createRequire } from 'node:module';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluate } from '../src/expression/evaluate.js';
import { parseExpression } from '../src/expression/parser.js';

const jmespath = createRequire(import.meta.url)('jmespath') as {
  search(data: unknown, expression: string): unknown;
};

const DOCUMENT = {
  a: { b: [1, 2, 3, { c: 'x' }], c: null, d: { e: 'f', g: [[1], [2, [3]]] } },
  b: [{ a: 1, b: 'one' }, { a: 2, b: 'two' }, { a: 3 }],
  c: 'text',
  n: -4,
  list: ['b', 'a', 'c'],
  numbers: [3, 1, 2],
};

const ours = (expression: string): unknown =>
  JSON.parse(JSON.stringify(evaluate(parseExpression(expression), DOCUMENT)));

describe('expressions mean what the language says', () => {
  it.each([
    ['a.b[0]', 1],
    ['a.b[-1].c', 'x'],
    ['a.b[1:3]', [2, 3]],
    ['a.b[::-1][0]', []],
    ['b[*].a', [1, 2, 3]],
    ['b[].b', ['one', 'two']],
    ['b[?a > `1`].a', [2, 3]],
    ["b[?b == 'two'] | [0].a", 2],
    ['a.d.*', ['f', [[1], [2, [3]]]]],
    ['a.d.g[]', [1, 2, [3]]],
    ['a.d.g[][]', [1, 2, 3]],
    ['{x: c, y: n}', { x: 'text', y: -4 }],
    ['[c, n]', ['text', -4]],
    ['a.c.{x: y}', null],
    ['c || n', 'text'],
    ['missing || n', -4],
    ['c && n', -4],
    ['!c', false],
    ['n < `0` && !missing', true],
    ["'it\\'s'", "it's"],
    ['`"\\`"`', '`'],
    ['"c"', 'text'],
    ['sort(list)', ['a', 'b', 'c']],
    ['sort_by(b, &a)[-1].a', 3],
    ['max_by(b, &a).a', 3],
    ['min(numbers)', 1],
    ['map(&a, b)', [1, 2, 3]],
    ['join(`"-"`, list)', 'b-a-c'],
    ['merge(`{"a":1}`, `{"a":2}`)', { a: 2 }],
    ['not_null(missing, c)', 'text'],
    ['length(keys(@))', 6],
    ['reverse(c)', 'txet'],
    ['to_number(`"1.5"`)', 1.5],
    ['type(&a)', null],
    ['contains(list, `"a"`)', true],
    ['avg(numbers)', 2],
    ['a < b', null],
    ['constructor', null],
  ])('%s', (expression, expected) => {
    let found: unknown = null;
    try {
      found = ours(expression);
    } catch {
      // No answer.
    }
    expect(found).toEqual(expected);
  });

  it('the same as the library of its author', () => {
    fc.assert(
      fc.property(expressions.whole, (expression) => {
        let theirs: unknown;
        try {
          theirs = jmespath.search(DOCUMENT, expression);
        } catch {
          return;
        }
        expect([expression, ours(expression)]).toEqual([expression, JSON.parse(JSON.stringify(theirs))]);
      }),
      { numRuns: 2000 },
    );
  });
});

/** The reference library misparses an `@` after a parenthesis. */
const notBare = (expression: string): string =>
  expression.startsWith('@') ? `a || ${expression}` : expression;

const expressions = fc.letrec<{ whole: string; step: string; atom: string }>((tie) => ({
  atom: fc.constantFrom('a', 'b', 'c', 'd', 'missing', '@', '`1`', '`[1,[2]]`', "'x'", 'numbers', 'list'),
  step: fc.oneof(
    fc.constantFrom(
      '.a',
      '.b',
      '.c',
      '.d',
      '[0]',
      '[-1]',
      '[*]',
      '[]',
      '.*',
      '[1:]',
      '[::-1]',
      '[?a]',
      '[?@ == `1`]',
    ),
    tie('whole').map((inner) => `[?${inner}]`),
    tie('whole').map((inner) => ` | ${inner}`),
    tie('whole').map((inner) => `.[${inner}]`),
    tie('whole').map((inner) => `.{k: ${inner}}`),
  ),
  whole: fc.oneof(
    { maxDepth: 3 },
    tie('atom'),
    fc
      .tuple(tie('atom'), fc.array(tie('step'), { maxLength: 3 }))
      .map(([atom, steps]) => atom + steps.join('')),
    fc
      .tuple(tie('whole'), fc.constantFrom('||', '&&', '==', '!='), tie('whole'))
      .map((parts) => parts.join(' ')),
    tie('whole').map((inner) => `(${notBare(inner)})`),
    tie('whole').map((inner) => `[${inner}, a]`),
    fc
      .tuple(fc.constantFrom('type', 'to_array', 'length', 'keys'), tie('whole'))
      .map(([name, inner]) => `${name}(${notBare(inner)})`),
  ),
}));
