import { describe, expect, it } from 'vitest';
import { brokenRule, docComments, hasPronoun } from '../comments.js';

describe('docComments', () => {
  it('returns text and line without tags, stars and code', () => {
    const source =
      '\n/** Returns `what` it holds. */\nconst a = 1;\n/**\n * Two\n * lines.\n * @param b whatever\n */';
    expect(docComments(source)).toEqual([
      { line: 2, text: 'Returns code it holds.' },
      { line: 4, text: 'Two lines.' },
    ]);
  });
});

describe('brokenRule', () => {
  it.each([
    ['Returns the members of a channel.', null],
    ['Offset of the newest message.', null],
    ['What a member says of itself.', 'begins with "What"'],
    ['Of one message.', 'begins with "Of"'],
    ['Closed when nobody uses it.', 'contains "nobody"'],
  ])('judges "%s"', (text, problem) => {
    const found = brokenRule(text);
    if (problem === null) expect(found).toBeNull();
    else expect(found).toContain(problem);
  });
});

describe('hasPronoun', () => {
  it('finds relative pronouns as whole words', () => {
    expect(hasPronoun('The publisher, who is trusted.')).toBe(true);
    expect(hasPronoun('The whole list.')).toBe(false);
  });
});
