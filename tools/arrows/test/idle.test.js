import { expect, it } from 'vitest';
import { idleNames } from '../idle.js';

const ROOMS = new Map([['@carillon/room', 'libs/ports/room/dist/src/index.js']]);
const INDEX = 'libs/ports/room/src/index.ts';
const PART = 'libs/ports/room/src/part.ts';
const USER = 'apps/one/src/main.ts';

/** @param {Record<string, string>} texts */
const idle = (texts) => idleNames(new Map(Object.entries(texts)), ROOMS);

it('a name that is exported for nobody is told, wherever it is exported', () => {
  const texts = {
    [PART]: 'export const one = 1;\nexport const two = one;\nexport function three() {}',
    [INDEX]: "export { one, two } from './part.js';",
    [USER]: "import { one } from '@carillon/room';",
  };
  expect(idle(texts)).toEqual([
    `${INDEX}: nobody imports two`,
    `${PART}: nobody imports three`,
    `${PART}: nobody imports two`,
  ]);
});

it.each([
  ["import { two as other } from '@carillon/room';", 'under another name'],
  ["import * as room from '@carillon/room';\nroom.two();", 'of the whole'],
  ["import * as room from '@carillon/room';\nObject.keys(room);", 'with everything else'],
  ["const { two } = await import('@carillon/room');", 'when it runs'],
  ["/** @param {import('@carillon/room').two} it */", 'in a comment'],
  ["/** @import { two } from '@carillon/room' */", 'in a comment of its own'],
])('%s asks for it %s', (text) => {
  const texts = {
    [PART]: 'export const two = 2;',
    [INDEX]: "export { two } from './part.js';",
    [USER]: text,
  };
  expect(idle(texts)).toEqual([]);
  expect(idle({ ...texts, [USER]: text.replaceAll(/\btwo\b|Object.keys\(room\)/g, 'none') })).toHaveLength(2);
});

it('a type is left alone where its file or an index mentions it', () => {
  const mentioned =
    'export interface Parts {}\nexport class Room {}\nconst room = (_: Parts): Room => new Room();';
  expect(idle({ [PART]: mentioned })).toEqual([]);
  expect(idle({ [PART]: 'export type Two = 2;', [INDEX]: "export { type Two } from './part.js';" })).toEqual(
    [],
  );
  expect(idle({ [PART]: 'export type Two = 2;' })).toEqual([`${PART}: nobody imports Two`]);
});

it('packages for other people, and what is asked for by a made-up path, are not held to it', () => {
  expect(idle({ 'libs/client/js/src/index.ts': 'export const one = 1;' })).toEqual([]);
  expect(idle({ 'libs/ports/room/src/generated-pages.ts': 'export const one = 1;' })).toEqual([]);
});
