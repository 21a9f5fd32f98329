import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesOrigin, parseOriginPattern } from '../src/index.js';

function matches(pattern: string, origin: string): boolean {
  const parsed = parseOriginPattern(pattern);
  if ('message' in parsed) throw new Error(parsed.message);
  return matchesOrigin([parsed.pattern], origin);
}

describe('origin patterns', () => {
  it.each([
    ['*', '', true],
    ['ANY', 'https://x.example', true],
    ['https://App.example', 'https://app.EXAMPLE', true],
    ['https://app.example', 'http://app.example', false],
    ['https://app.example', 'https://app.example:8443', false],
    ['app.example.com', 'https://app.example.com', true],
    ['localhost:3000', 'http://localhost:3000', true],
    ['localhost:3000', 'http://localhost', false],
    ['*.example.com', 'https://example.com', true],
    ['*.example.com', 'https://a.b.example.com', true],
    ['*.example.com', 'https://badexample.com', false],
    ['*.example.com', '', false],
    ['https://*.example.com', 'https://a.example.com', true],
    ['https://*.example.com', 'https://example.com', false],
    ['https://*.example.com', 'http://a.example.com', false],
    ['https://a*a.example', 'https://a.example', false],
    ['http*', 'https://x.example', true],
  ])('%s on %s is %s', (pattern, origin, allowed) => {
    expect(matches(pattern, origin)).toBe(allowed);
  });

  it.each([' *. ', '\ufeff://a', 'https:// ', ' \t', '*..a', '*.a..b'])(
    'are judged without the space around them: %j can match nothing sensible',
    (source) => expect(parseOriginPattern(source)).toHaveProperty('message'),
  );

  it('with space around them mean the same', () => {
    expect(matches(' *.example.com\n', 'https://a.example.com')).toBe(true);
    expect(matches(' any ', '')).toBe(true);
  });

  it('allow when any of them does', () => {
    const patterns = ['a.example', 'b.example'].map((text) => parseOriginPattern(text));
    const parsed = patterns.flatMap((found) => ('pattern' in found ? [found.pattern] : []));
    expect(matchesOrigin(parsed, 'https://b.example')).toBe(true);
    expect(matchesOrigin([], 'https://b.example')).toBe(false);
  });

  it('without a star match nothing but themselves, with or without a scheme', () => {
    const word = fc.stringMatching(/^[a-z][a-z0-9.]{0,9}$/).filter((text) => text !== 'any');
    fc.assert(
      fc.property(word, word, (pattern, host) => {
        expect(matches(pattern, `https://${host}`)).toBe(pattern === host);
      }),
    );
  });
});
