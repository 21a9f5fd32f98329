// Style, floating promises, import arrows, generated pages: everything that can be wrong without a test noticing.
import { ensureBuilt, ensureInstalled } from './ensure.js';
import { bin, run, say } from './workspace.js';

// `npm test` checks beside the tests, which read what would be compiled again.
if (!process.argv.includes('--built')) {
  await ensureInstalled();
  await ensureBuilt();
}
const checks = [
  ['lockfile', process.execPath, 'tools/run/lockfile.js', '--check'],
  ['format (oxfmt)', bin('oxfmt'), '--check', '.'],
  ['lint (oxlint)', bin('oxlint'), '--type-aware', '--deny-warnings', '.'],
  ['dependencies', process.execPath, 'tools/dependencies/main.js'],
  ['language', process.execPath, 'tools/language/main.js'],
  ['guarantees', process.execPath, 'tools/run/guarantees.js'],
  ['generated pages', process.execPath, 'tools/run/generate.js', '--check'],
];
const failed = [];
for (const [name, command, ...args] of checks) {
  say(`checking ${name}`);
  if ((await run(command, args)) !== 0) failed.push(name);
}
if (failed.length > 0) {
  say(`failed: ${failed.join(', ')}`);
  process.exit(1);
}
