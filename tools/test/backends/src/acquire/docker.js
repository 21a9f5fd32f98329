// The last resort: the engine's service in compose.yaml, when a Docker daemon answers.
import { fileURLToPath } from 'node:url';
import { run } from '../processes/launch.js';

/** @import { Engine, NodePlan, Site } from '../types.js' */

const FILE = fileURLToPath(new URL('../../compose.yaml', import.meta.url));
const ANSWER_LIMIT_MS = 5000;

/** @type {Promise<string | null> | undefined} */
let answer;

/** Why containers cannot be run here; null when they can. Asked once per process. */
export function whyNoDocker() {
  answer ??= run('docker', ['compose', 'ls', '-q'], { limitMs: ANSWER_LIMIT_MS }).then(
    () => null,
    (/** @type {NodeJS.ErrnoException} */ error) =>
      error.code === 'ENOENT' ? 'there is no docker' : 'no Docker daemon with compose answers',
  );
  return answer;
}

/** @param {string} name @returns {Record<string, string>} */
const inherited = (name) => {
  const value = process.env[name];
  return value === undefined ? {} : { [name]: value };
};

/** @param {Engine & { service: string }} engine @param {Site} site @param {number} port @returns {NodePlan} */
export function containerNode(engine, site, port) {
  const project = site.folder.split('/').at(-1) ?? engine.name;
  const compose = ['compose', '-p', project, '-f', FILE];
  return {
    name: 'main',
    port,
    command: 'docker',
    args: [...compose, 'up', '--no-log-prefix', engine.service],
    env: {
      CARILLON_PORT: String(port),
      ...inherited('HOME'),
      ...inherited('DOCKER_HOST'),
    },
    container: {
      pause: [...compose, 'pause', engine.service],
      resume: [...compose, 'unpause', engine.service],
      kill: [...compose, 'kill', engine.service],
      remove: [...compose, 'down', '--volumes', '--timeout', '0'],
    },
  };
}
