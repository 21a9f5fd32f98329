import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, vi } from 'vitest';
import { programOf } from '../src/program-of.js';

const SERVER = fileURLToPath(new URL('../../../../../apps/server/dist/src/main.js', import.meta.url));

it('a program is started from its bundle where a test run has one, and else as it is compiled', () => {
  vi.stubEnv('CARILLON_TEST_BUNDLES', undefined);
  expect(programOf(SERVER)).toBe(SERVER);
  const folder = mkdtempSync(join(tmpdir(), 'carillon-bundles-'));
  vi.stubEnv('CARILLON_TEST_BUNDLES', folder);
  expect(programOf(SERVER)).toBe(SERVER);
  const bundle = join(folder, 'apps/server/dist/src/main.js');
  mkdirSync(dirname(bundle), { recursive: true });
  writeFileSync(bundle, '');
  expect(programOf(SERVER)).toBe(bundle);
  rmSync(folder, { recursive: true });
});
