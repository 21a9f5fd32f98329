import { expect, it } from 'vitest';
import { namedFiles } from '../readme-tables.js';

it('namedFiles: reads the last column of tables that end with `file`', () => {
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
