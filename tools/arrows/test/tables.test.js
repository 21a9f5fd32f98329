import { expect, it } from 'vitest';
import { namedFiles } from '../tables.js';

it('only tables that lead to files name files', () => {
  const page = [
    '| rule | file |',
    '|---|---|',
    '| the bound | `a/b.ts`, `c.ts` (`least`) |',
    '',
    '| word | meaning |',
    '|---|---|',
    '| x | `no/such.ts` |',
  ].join('\n');
  expect(namedFiles(page)).toEqual(['a/b.ts', 'c.ts']);
});
