import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { hashFault, nativeBinary } from '../src/native.js';
import { NATIVE_HASHES } from '../src/native-hashes.js';

const folder = dirname(nativeBinary().file);
/** The libraries of the supported Node versions, by their binary interface. */
const LIBRARY = /^uws_\w+_(115|127|137|141)\.node$/;

it('NATIVE_HASHES has every library of the installed package when the pinned version changes', () => {
  const installed = readdirSync(folder)
    .filter((name) => LIBRARY.test(name))
    .map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(join(folder, name)))
        .digest('hex'),
    ]);
  expect(NATIVE_HASHES).toEqual(Object.fromEntries(installed));
});

it('nativeBinary reports no replaced library when it is the one of the package', () => {
  expect(nativeBinary().faults.filter((text) => text.includes('SHA-256'))).toEqual([]);
});

it('hashFault names the file, both hashes and the remedy when the library differs', () => {
  const name = basename(nativeBinary().file);
  const text = hashFault(name, Buffer.from('other')) ?? '';
  expect(text).toContain(name);
  expect(text).toContain(NATIVE_HASHES[name]);
  expect(text).toContain('npm ci');
  expect(hashFault('uws_plan9_x64_115.node', Buffer.from(''))).toContain('the file is unknown');
});
