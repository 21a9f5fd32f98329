// Brings Python packages, in an environment of their own.
import { join } from 'node:path';
import { run } from '../processes/launch.js';
import { say } from '../say.js';
import { installPackages, whyNoApt } from './apt.js';
import { cached } from './cache.js';

/** @import { PythonPackages } from '../types.js' */

const INSTALL_LIMIT_MS = 600_000;
const IDENTIFY = 'import sys; print("%d.%d.%d" % sys.version_info[:3])';

/** Debian's Python comes without the means to make an environment. @param {string} python @param {string} folder */
async function makeEnvironment(python, folder) {
  const make = () => run(python, ['-m', 'venv', '--clear', folder]);
  try {
    await make();
  } catch (error) {
    if (whyNoApt() !== null) throw error;
    await installPackages(['python3-venv']);
    await make();
  }
}

/** The path of a Python that has the packages; it is made when it is not there yet. @param {PythonPackages} wanted @param {string} python */
export async function pythonWith({ name, requirements }, python) {
  const version = (await run(python, ['-c', IDENTIFY])).trim();
  const folder = await cached(`${name}-python-${version}`, async (work) => {
    say(`fetching ${name} (pip)`);
    const environment = join(work, 'environment');
    await makeEnvironment(python, environment);
    const args = [
      '-m',
      'pip',
      'install',
      '--quiet',
      '--disable-pip-version-check',
      '--no-deps',
      ...requirements,
    ];
    await run(join(environment, 'bin', 'python'), args, { limitMs: INSTALL_LIMIT_MS });
    return environment;
  });
  return join(folder, 'bin', 'python');
}
