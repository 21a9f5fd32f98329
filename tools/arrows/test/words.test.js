import { expect, it } from 'vitest';
import { secondWords, wordsOf } from '../words.js';

const GLOSSARY = `
| word | what it is | never |
|---|---|---|
| app | who has a key | tenant, tenants |
| hub | one process | |
`;

it('the glossary says which word stands for which', () => {
  const second = secondWords(GLOSSARY);
  expect(second.get('tenant')).toBe('app');
  expect(second.get('tenants')).toBe('app');
  expect(second.get('util')).toBeNull();
  expect([...second.keys()]).not.toContain('hub');
  expect([...second.keys()]).not.toContain('never');
});

it('names are taken apart, however they are written', () => {
  expect(wordsOf('HTTPServer_of-lanes2')).toEqual(['http', 'server', 'of', 'lanes2']);
  expect(wordsOf('MAX_TENANTS')).toEqual(['max', 'tenants']);
});
