import { expect, it } from 'vitest';
import { unusedExports } from '../unused-exports.js';

const ENTRIES = new Map([['@carillon/cache', 'libs/cache/dist/src/index.js']]);
const INDEX = 'libs/cache/src/index.ts';
const PART = 'libs/cache/src/part.ts';
const USER = 'apps/one/src/main.ts';

/** @param {Record<string, string>} texts */
const unused = (texts) => unusedExports(new Map(Object.entries(texts)), ENTRIES);

it('unusedExports: reports exports of files and indexes without an importer', () => {
  const texts = {
    [PART]: 'export const one = 1;\nexport const two = one;\nexport function three() {}',
    [INDEX]: "export { one, two } from './part.js';",
    [USER]: "import { one } from '@carillon/cache';",
  };
  expect(unused(texts)).toEqual([
    `${INDEX}: two has no importer`,
    `${PART}: three has no importer`,
    `${PART}: two has no importer`,
  ]);
});

it.each([
  ["import { two as other } from '@carillon/cache';", 'under another name'],
  ["import * as cache from '@carillon/cache';\ncache.two();", 'of the whole'],
  ["import * as cache from '@carillon/cache';\nObject.keys(cache);", 'with everything else'],
  ["const { two } = await import('@carillon/cache');", 'when it runs'],
  ["/** @param {import('@carillon/cache').two} it */", 'in a comment'],
  ["/** @import { two } from '@carillon/cache' */", 'in a comment with @import'],
])('unusedExports: counts `%s`, an import %s', (text) => {
  const texts = {
    [PART]: 'export const two = 2;',
    [INDEX]: "export { two } from './part.js';",
    [USER]: text,
  };
  expect(unused(texts)).toEqual([]);
  expect(unused({ ...texts, [USER]: text.replaceAll(/\btwo\b|Object.keys\(cache\)/g, 'none') })).toHaveLength(
    2,
  );
});

it('unusedExports: accepts types that their file or an index mentions', () => {
  const mentioned =
    'export interface Parts {}\nexport class Cache {}\nconst cache = (_: Parts): Cache => new Cache();';
  expect(unused({ [PART]: mentioned })).toEqual([]);
  expect(
    unused({ [PART]: 'export type Two = 2;', [INDEX]: "export { type Two } from './part.js';" }),
  ).toEqual([]);
  expect(unused({ [PART]: 'export type Two = 2;' })).toEqual([`${PART}: Two has no importer`]);
});

it('unusedExports: excludes published packages and computed imports', () => {
  expect(unused({ 'libs/client/js/src/index.ts': 'export const one = 1;' })).toEqual([]);
  expect(unused({ 'libs/cache/src/generated-pages.ts': 'export const one = 1;' })).toEqual([]);
});
