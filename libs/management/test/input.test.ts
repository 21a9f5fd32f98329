import { ServiceError, type FieldProblem } from '@carillon/errors';
import { describe, expect, it } from 'vitest';
import { parseJsonBody } from '../src/http/json-body.js';
import { Cursors } from '../src/http/paging.js';
import { readQuery } from '../src/http/query.js';
import { checkValue, flag, integer, object, text } from '../src/http/schema.js';

const parsed = (json: string): unknown => parseJsonBody(Buffer.from(json));

describe('parseJsonBody', () => {
  it('accepts 32 levels, equal names in different objects, and quotes and braces in strings', () => {
    const deep = `${'['.repeat(32)}${']'.repeat(32)}`;
    expect(parsed(deep)).toEqual(JSON.parse(deep));
    const json = '{"a":{"b":1,"c":[{"b":2},{"b":"{\\"b\\":,"}]},"b":"\\\\"}';
    expect(parsed(json)).toEqual(JSON.parse(json));
    expect(parseJsonBody(undefined)).toBeUndefined();
  });

  it.each([
    ['a repeated member', '{"a":1,"a":2}'],
    ['a repeated member in an escaped spelling', '{"a":1,"\\u0061":2}'],
    ['a repeated member of a nested object', '[{"x":{"a":[],"a":{}}}]'],
    ['__proto__', '{"__proto__":1}'],
    ['33 levels', `${'['.repeat(33)}${']'.repeat(33)}`],
    ['text after the value', '{} {}'],
  ])('refuses %s', (_what, json) => {
    expect(() => parsed(json)).toThrow(ServiceError);
  });

  it('refuses bytes that are not UTF-8', () => {
    expect(() => parseJsonBody(Buffer.from([0x22, 0xff, 0x22]))).toThrow('not valid JSON');
  });
});

describe('checkValue', () => {
  it('names every problem by its path', () => {
    const schema = object(
      { name: text('', { minLength: 1 }), age: integer('', 0, 9), inner: object({ on: flag('') }) },
      ['name', 'other'],
    );
    const problems: FieldProblem[] = [];
    checkValue(schema, { name: '', age: 10, inner: { on: 1, off: 2 }, extra: null }, '', problems);
    expect(problems).toEqual([
      { path: 'other', message: 'is required' },
      { path: 'name', message: 'must not be empty' },
      { path: 'age', message: 'must be at most 9' },
      { path: 'inner.on', message: 'must be a boolean' },
      { path: 'inner.off', message: 'is not a known field' },
      { path: 'extra', message: 'is not a known field' },
    ]);
  });
});

describe('readQuery', () => {
  const schemas = { limit: { ...integer('', 1, 5), default: 3 }, on: flag(''), prefix: text('') };

  it('types parameters and fills in defaults', () => {
    expect(readQuery('on=true&prefix=a%20b+c', schemas)).toEqual({ limit: 3, on: true, prefix: 'a b c' });
  });

  it.each(['limit=6', 'limit=x', 'on=1', 'on=true&on=true', 'other=1', 'prefix=%ff'])(
    'refuses %s',
    (query) => {
      expect(() => readQuery(query, schemas)).toThrow(ServiceError);
    },
  );
});

describe('Cursors', () => {
  it('read what they wrote, and refuse cursors of other lists, other filters and other text', () => {
    const cursors = new Cursors('apps', { prefix: 'a', limit: 5, cursor: 'x' });
    const cursor = cursors.write({ id: 'a1' });
    expect(new Cursors('apps', { prefix: 'a', limit: 9 }).read(cursor)).toEqual({ id: 'a1' });
    expect(cursors.read(undefined)).toBeNull();
    for (const other of [new Cursors('apps', { prefix: 'b' }), new Cursors('audit', { prefix: 'a' })])
      expect(() => other.read(cursor)).toThrow(ServiceError);
    expect(() => cursors.read('nonsense')).toThrow(ServiceError);
    expect(() => cursors.readText(cursor)).toThrow(ServiceError);
  });
});
