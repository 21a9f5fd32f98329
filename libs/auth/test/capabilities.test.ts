import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Capabilities, readSigninCapabilities, type Operation } from '../src/index.js';
import { OPERATIONS } from '../src/capability/operations.js';
import { matchesPattern } from '../src/capability/pattern.js';

const OPEN = new Set<Operation>(['subscribe', 'publish', 'history', 'presence']);

function signin(value: unknown): Capabilities {
  const verdict = readSigninCapabilities(value);
  if (!verdict.ok) throw new Error(verdict.reason);
  return verdict.capabilities;
}

describe('a pattern', () => {
  it.each([
    ['room:1', 'room:1', true],
    ['room:1', 'Room:1', false],
    ['*', '', true],
    ['room:*', 'room:', true],
    ['room:*', 'other', false],
    ['*:eu', 'news:eu', true],
    ['a*a', 'a', false],
    ['a*a', 'aa', true],
    ['ab*bc', 'abc', false],
    ['a*b*c', 'axbxc', false],
    ['a*b*c', 'a*b*c', true],
    ['a.c', 'abc', false],
  ])('%s on %s: %s', (pattern, name, expected) => expect(matchesPattern(pattern, name)).toBe(expected));

  it('agrees with a regular expression', () => {
    const few = fc.string({ unit: fc.constantFrom('a', 'b', '*', '.'), maxLength: 6 });
    fc.assert(
      fc.property(few, few, (pattern, name) => {
        const parts = pattern.split('*');
        const oracle =
          parts.length === 2
            ? new RegExp(`^${parts.map((part) => part.replaceAll('.', '\\.')).join('.*')}$`, 's').test(name)
            : pattern === name;
        expect(matchesPattern(pattern, name)).toBe(oracle || pattern === name);
      }),
    );
  });

  it('that covers the text of a wildcard subscription matches every channel the subscription reaches', () => {
    const few = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 4 });
    fc.assert(
      fc.property(few, few, few, few, few, (before, after, left, right, middle) => {
        const [pattern, subscription] = [`${before}*${after}`, `${left}*${right}`];
        fc.pre(matchesPattern(pattern, subscription));
        expect(matchesPattern(pattern, `${left}${middle}${right}`)).toBe(true);
      }),
    );
  });
});

describe('capabilities', () => {
  it('absent: the open operations are free, all others denied', () => {
    for (const operation of OPERATIONS) {
      expect(Capabilities.NONE.allows(operation, 'x')).toBe(OPEN.has(operation));
      expect(Capabilities.NONE.grants(operation, 'x')).toBe(false);
    }
  });

  it('of a token: what is not granted is denied', () => {
    const token = Capabilities.ofToken(new Map([['subscribe', ['room:*']]]));
    expect(token.allows('subscribe', 'room:5')).toBe(true);
    expect(token.grants('subscribe', 'room:5')).toBe(true);
    expect(token.allows('subscribe', 'other')).toBe(false);
    for (const operation of OPERATIONS.slice(1)) expect(token.allows(operation, 'room:5')).toBe(false);
  });

  it('of a sign-in: an operation without a list is as without capabilities, an empty list denies', () => {
    const some = signin({ subscribe: ['room:*'], publish: [], annotation_subscribe: ['room:*'] });
    expect(some.allows('subscribe', 'room:1')).toBe(true);
    expect(some.allows('subscribe', 'other')).toBe(false);
    expect(some.allows('publish', 'room:1')).toBe(false);
    expect(some.allows('history', 'other')).toBe(true);
    expect(some.grants('history', 'other')).toBe(false);
    expect(some.allows('annotation-subscribe', 'room:1')).toBe(true);
    expect(some.allows('push-admin', 'room:1')).toBe(false);
  });

  it('check a wildcard subscription as the text of its pattern', () => {
    const some = signin({ subscribe: ['orders.*', 'news.eu'] });
    expect(some.allows('subscribe', 'orders.*')).toBe(true);
    expect(signin({ subscribe: ['orders*'] }).allows('subscribe', 'orders.*')).toBe(true);
    expect(signin({ subscribe: ['orders.eu'] }).allows('subscribe', 'orders.*')).toBe(false);
    expect(some.allows('subscribe', 'news.*')).toBe(false);
  });
});

describe('sign-in capabilities', () => {
  it('may be absent', () => {
    for (const value of [undefined, null]) {
      expect(readSigninCapabilities(value)).toEqual({ ok: true, capabilities: Capabilities.NONE });
    }
  });

  it.each([
    ['a list', []],
    ['a text', 'subscribe'],
    ['an unknown operation', { fly: ['*'] }],
    ['a single pattern', { subscribe: '*' }],
    ['a number', { subscribe: [1] }],
    ['an empty pattern', { subscribe: [''] }],
    ['too many patterns', { subscribe: Array.from({ length: 101 }, (_, at) => `c${at}`) }],
  ])('are refused when they hold %s', (_, value) => {
    expect(readSigninCapabilities(value).ok).toBe(false);
  });

  it('never throw', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => typeof readSigninCapabilities(value).ok === 'boolean'));
  });
});
