// One target of one room, for Nx: `node ../../tools/run/target.js test|lint`, run in the room's folder.
import { relative } from 'node:path';
import { bin, root, run } from './workspace.js';

const folder = relative(root, process.cwd());
// Some tools run as they are written, everything else as it is compiled.
const tests = [`${folder}/test/`, `${folder}/dist/test/`];
const targets = {
  test: [
    bin('vitest'),
    'run',
    '--root',
    root,
    '--config',
    'tools/run/vitest.config.js',
    '--passWithNoTests',
    ...tests,
  ],
  lint: [bin('oxlint'), '--type-aware', '--deny-warnings', folder],
};
const [command, ...args] = targets[process.argv[2]];
process.exit(await run(command, args));
