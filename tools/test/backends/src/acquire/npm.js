// Brings programs that are published to npm, for machines where nothing can be installed.
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { run } from '../processes/launch.js';
import { say } from '../say.js';
import { cached } from './cache.js';

/** @import { NpmPrograms } from '../types.js' */

const INSTALL_LIMIT_MS = 600_000;

/** npm packages hold no links, so these list them beside the files. @param {string} folder */
function restoreLinks(folder) {
  const list = join(folder, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8'))) {
    const link = join(folder, target);
    if (!existsSync(link)) symlinkSync(relative(dirname(link), join(folder, source)), link);
  }
}

/** The paths of the programs. @param {NpmPrograms} wanted @returns {Promise<Record<string, string>>} */
export async function programsFromNpm({ scope, version, programs }) {
  const name = `@${scope}/${process.platform}-${process.arch}`;
  const folder = await cached(`${scope}-${version}`, async (work) => {
    say(`fetching ${name} ${version} (npm)`);
    writeFileSync(join(work, 'package.json'), JSON.stringify({ private: true }));
    const args = [
      'install',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--no-package-lock',
      `${name}@${version}`,
    ];
    await run('npm', ['--prefix', work, ...args], { limitMs: INSTALL_LIMIT_MS });
    const installed = join(work, 'node_modules', name);
    restoreLinks(installed);
    return installed;
  });
  return Object.fromEntries(Object.entries(programs).map(([key, path]) => [key, join(folder, path)]));
}
