import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../../../', import.meta.url));

/** Folder with the bundled programs of a test run, under the paths they are compiled to. */
const BUNDLES = 'CARILLON_TEST_BUNDLES';

/**
 * Returns the script to start for a compiled program: its bundle if there is one, which starts in a third of the
 * time; otherwise the program itself.
 */
export function programOf(script: string): string {
  const folder = process.env[BUNDLES];
  if (folder === undefined) return script;
  const bundle = join(folder, relative(ROOT, script));
  return existsSync(bundle) ? bundle : script;
}
