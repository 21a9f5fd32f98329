import { expect, it } from 'vitest';
import { scriptProblems } from '../lua.js';

const read = () => 'local function whole(number) return string.format("%.0f", number) end';
const problems = (text) => scriptProblems(text, read, ['LEFTOVER']);

it('a script knows every name it uses, and uses every name it is given', () => {
  const head = '--uses: number\n--keys: subjects\n--args: node\n';
  expect(problems(`${head}return redis.call('HGET', subjects, whole(node) .. LEFTOVER)`)).toEqual([]);
  expect(problems(`${head}return redis.call('HGET', subject, node)`)).toEqual([
    'nobody says what subject is',
    'subjects is given and not used',
  ]);
});

it('what a script assigns without declaring it is told', () => {
  expect(problems('total = 1\nreturn total')).toEqual(['nobody says what total is']);
});

it('a script parses', () => {
  expect(problems('if then end')).toEqual([expect.stringContaining('[1:')]);
});
