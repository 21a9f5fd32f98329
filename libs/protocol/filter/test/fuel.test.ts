import { describe, expect, it } from 'vitest';
import { compileExpression } from '../src/index.js';

/** Texts that differ in their last character. */
const LONG = { a: `${'x'.repeat(30_000)}a`, b: `${'x'.repeat(30_000)}b`, list: [{ k: 'a' }, { k: 'b' }] };
const SHORT = { a: 'xa', b: 'xb', list: [{ k: 'a' }, { k: 'b' }] };
const MANY = Array.from({ length: 40 }, () => 'a, b').join(', ');

describe('an expression', () => {
  it.each([
    ['sort', `sort([${MANY}])`],
    ['min', `min([${MANY}])`],
    ['max', `max([${MANY}])`],
    ['sort_by', `sort_by([${Array.from({ length: 20 }, () => '{k: a}, {k: b}').join(', ')}], &k)`],
    ['max_by', `max_by([${Array.from({ length: 20 }, () => '{k: a}, {k: b}').join(', ')}], &k)`],
    ['==', Array.from({ length: 30 }, () => '!(a == b)').join(' && ')],
    ['length', Array.from({ length: 20 }, () => 'length(a)').join(' && ')],
    ['reverse', Array.from({ length: 20 }, () => 'reverse(a)').join(' && ')],
    ['contains', Array.from({ length: 30 }, () => "!contains(a, 'xxxxxxxxy')").join(' && ')],
  ])('accepts nothing when %s reads more text than its fuel allows', (_, source) => {
    const expression = compileExpression(source);
    expect(expression.accepts(SHORT)).toBe(true);
    expect(expression.accepts(LONG)).toBe(false);
  });
});
