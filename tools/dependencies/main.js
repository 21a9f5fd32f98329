// Checks the dependencies of all packages: layers, cycles, manifests, project references, unused exports, files named by
// READMEs, and names in Lua scripts. With --fix, first writes the project references that the imports need.
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from '../run/workspace.js';
import { neededReferences, problems } from './layers.js';
import { luaProblems } from './lua.js';
import { readPackages } from './packages.js';
import { readmeProblems } from './readme-tables.js';
import { unusedExportProblems } from './unused-exports.js';

function writeReferences(packages) {
  for (const one of packages.filter(({ compiled }) => compiled)) {
    const path = join(root, one.folder, 'tsconfig.json');
    const config = JSON.parse(readFileSync(path, 'utf8'));
    const references = neededReferences(one, packages).map((folder) => ({
      path: relative(one.folder, folder),
    }));
    writeFileSync(path, `${JSON.stringify({ ...config, references }, null, 2)}\n`);
  }
}

if (process.argv.includes('--fix')) writeReferences(readPackages());
const packages = readPackages();
const found = [
  ...problems(packages),
  ...unusedExportProblems(),
  ...readmeProblems(packages),
  ...luaProblems(packages),
];
for (const problem of found) console.error(problem);
console.error(`dependencies: ${found.length === 0 ? 'no problems' : `${found.length} problems`}`);
process.exit(found.length === 0 ? 0 : 1);
