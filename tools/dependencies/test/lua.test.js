import { expect, it } from 'vitest';
import { scriptProblems } from '../lua.js';

const read = () => 'local function whole(number) return string.format("%.0f", number) end';
const problems = (text) => scriptProblems(text, read, ['LEFTOVER']);

it('scriptProblems: reports undefined names and unused parameters', () => {
  const head = '--uses: number\n--keys: subjects\n--args: node\n';
  expect(problems(`${head}return redis.call('HGET', subjects, whole(node) .. LEFTOVER)`)).toEqual([]);
  expect(problems(`${head}return redis.call('HGET', subject, node)`)).toEqual([
    'subject is not defined',
    'subjects is a parameter that is not used',
  ]);
});

it('scriptProblems: reports assignments to undeclared names', () => {
  expect(problems('total = 1\nreturn total')).toEqual(['total is not defined']);
});

it('scriptProblems: reports syntax errors', () => {
  expect(problems('if then end')).toEqual([expect.stringContaining('[1:')]);
});
