import { assert, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseQuery } from '../src/index.js';

describe('query', () => {
  it.each([
    ['a=1&b=2', { a: '1', b: '2' }],
    ['a=1&a=2', { a: '2' }],
    ['a', { a: '' }],
    ['&&a=1&', { a: '1' }],
    ['a=b=c', { a: 'b=c' }],
    ['a+b=c+d%2B', { 'a b': 'c d+' }],
    ['a=%C3%A9%2C', { a: 'é,' }],
    ['a=%zz%4', { a: '%zz%4' }],
    ['a=%zzé€', { a: '%zzé€' }],
    ['', {}],
  ])('reads %s', (raw, query) => {
    expect({ ...parseQuery(raw) }).toEqual(query);
  });

  it('has no members of its own', () => {
    expect(parseQuery('x=1')['constructor']).toBeUndefined();
    expect(parseQuery('__proto__=1')['__proto__']).toBe('1');
  });

  it('reads back what was encoded', () => {
    assert(
      property(string({ unit: 'grapheme', minLength: 1 }), string({ unit: 'grapheme' }), (name, value) => {
        const raw = `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
        expect(parseQuery(raw)[name]).toBe(value);
      }),
    );
  });
});
