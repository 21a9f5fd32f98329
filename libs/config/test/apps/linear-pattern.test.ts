import { describe, expect, it } from 'vitest';
import { LinearPattern } from '../../src/index.js';

describe('linear patterns', () => {
  it('are tested unanchored', () => {
    const pattern = new LinearPattern('chat:[a-z0-9-]+');
    expect([pattern.matches('xchat:ab'), pattern.matches('chat:'), pattern.problem()]).toEqual([
      true,
      false,
      null,
    ]);
    expect(new LinearPattern('^chat:[a-z0-9-]+$').matches('xchat:ab')).toBe(false);
  });

  it.each([['(a+)+$'], ['^(a|a)*$'], ['(.*)*x']])('answer on hostile input: %s', (source) => {
    // A backtracking engine would not return within the lifetime of the test run.
    expect(new LinearPattern(source).matches(`${'a'.repeat(200)}!`)).toBe(false);
  });

  it.each([['(?=a)'], ['(?<!a)b'], ['(a)\\1'], ['(a{1000}){1000}']])('do not exist as %s', (source) => {
    const pattern = new LinearPattern(source);
    expect(pattern.problem()).not.toBeNull();
    expect(pattern.matches('aa')).toBe(false);
  });
});
