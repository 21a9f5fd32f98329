import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const DECLARATIONS = fileURLToPath(new URL('../src/', import.meta.url));

/** Declarations that keep names of the wire. */
const OF_THE_WIRE = new Set([
  // Bodies that an app's own server answers with, which every client library reads.
  'auth/authorizer.d.ts',
  'server/credentials.d.ts',
  // Types that no entry of the package exports.
  'channel/delta-bases.d.ts',
  'channel/history.d.ts',
  'format/wire-frame.d.ts',
]);

it('public types have no snake_case member', () => {
  const files = readdirSync(DECLARATIONS, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.d.ts'),
  );
  expect(files.length).toBeGreaterThan(40);
  const found = files
    .filter((file) => !OF_THE_WIRE.has(file))
    .flatMap((file) => {
      const names = readFileSync(`${DECLARATIONS}${file}`, 'utf8').matchAll(/\b[a-z]\w*_\w+(?=\??:)/g);
      return [...names].map(([name]) => `${file}: ${name}`);
    });
  expect(found).toEqual([]);
});
