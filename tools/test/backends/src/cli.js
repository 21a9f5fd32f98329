// node tools/test/backends up|down|status|env|install: needs nothing but Node, not even an installation or a build.
import { parseArgs } from 'node:util';
import { acquire } from './acquire/acquire.js';
import { fromEnvironment, variable } from './address.js';
import { ENGINE_NAMES, enginesNamed } from './catalogue.js';
import { family, memoryKb } from './processes/identity.js';
import { reasonOf, say } from './say.js';
import { isRunning } from './start.js';
import { readState } from './state/state.js';
import { DEFAULT_LIFETIME_MS, endAll, startAll, touch } from './together.js';

const HELP = `Usage: node tools/test/backends <command> [names…]

  up <names…>|all       start engines in the background, wait until they answer, print their addresses
      --hours <n>       how long they stay when nobody asks for them (default 2)
      --durable         databases flush every commit to disk
  down [names…]         end them (all without names) and remove their data
  status                what runs, where, and how much memory it takes
  env                   print export lines with the addresses of what runs here
  install <names…>|all  only get what they need

Engines: ${ENGINE_NAMES.join(', ')}
An address in CARILLON_ENGINE_<NAME> is used instead of starting one.
Exit codes: 0 done, 1 an engine is missing or failed, 2 the command is not understood.
`;

class UsageError extends Error {}

/** @param {string} text */
const print = (text) => void process.stdout.write(`${text}\n`);

/** @param {string[]} names */
function wanted(names) {
  if (names.length === 0) throw new UsageError('which engines? name them, or say all');
  if (names.includes('all')) return ENGINE_NAMES;
  const unknown = names.filter((name) => !ENGINE_NAMES.includes(name));
  if (unknown.length > 0) throw new UsageError(`no engine is called ${unknown.join(', ')}`);
  return names;
}

/** @param {string[]} names @param {{ hours?: string | undefined, durable?: boolean | undefined }} options */
async function up(names, { hours, durable }) {
  const lifetimeMs = hours === undefined ? DEFAULT_LIFETIME_MS : Number(hours) * 3_600_000;
  if (!(lifetimeMs > 0)) throw new UsageError('--hours takes a number above 0');
  const all = wanted(names);
  const { started, missing } = await startAll(all, { detached: true, lifetimeMs, durable: durable ?? false });
  for (const name of all) {
    const one = started[name];
    // What the environment names is not repeated: it may hold a password that is no business of a log.
    if (one?.origin === 'environment') say(`${name} is the one ${variable(name)} names`);
    else if (one !== undefined) print(`${variable(name)}=${one.url}`);
  }
  return missing.length === 0 ? 0 : 1;
}

/** @param {string[]} names */
async function down(names) {
  const keys = await endAll(names.length === 0 ? undefined : wanted(names));
  say(keys.length === 0 ? 'nothing was running' : `ended ${keys.sort().join(', ')}`);
  return 0;
}

function status() {
  for (const name of ENGINE_NAMES) {
    if (fromEnvironment(name) !== null) print(`${name.padEnd(16)} the one ${variable(name)} names`);
  }
  const { engines, missing } = readState();
  for (const [key, running] of Object.entries(engines)) {
    const processes = running.nodes.flatMap(({ process }) => family(process));
    const kilobytes = processes.reduce((sum, one) => sum + memoryKb(one), 0);
    const word = isRunning(running) ? 'running' : running.ready ? 'dead' : 'starting';
    print(
      `${key.padEnd(16)} ${word.padEnd(8)} ${String(Math.round(kilobytes / 1024)).padStart(5)} MB  ${running.url}`,
    );
  }
  for (const { name, reason } of missing) print(`${name.padEnd(16)} missing  ${reason}`);
  return 0;
}

async function env() {
  const { engines } = readState();
  for (const name of ENGINE_NAMES) {
    const running = engines[name];
    if (fromEnvironment(name) !== null || running === undefined || !isRunning(running)) continue;
    await touch(name);
    print(`export ${variable(name)}='${running.url}'`);
  }
  return 0;
}

/** @param {string[]} names */
async function install(names) {
  const { missing } = await acquire(enginesNamed(wanted(names)));
  for (const { name, reason } of missing) say(`missing: ${name}: ${reason}`);
  return missing.length === 0 ? 0 : 1;
}

/** @param {string[]} args @returns {Promise<number>} */
async function main(args) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { hours: { type: 'string' }, durable: { type: 'boolean' }, help: { type: 'boolean' } },
  });
  const [command, ...names] = positionals;
  if (values.help) {
    print(HELP);
    return 0;
  }
  switch (command ?? '') {
    case 'up':
      return up(names, values);
    case 'down':
      return down(names);
    case 'status':
      return status();
    case 'env':
      return env();
    case 'install':
      return install(names);
    default:
      throw new UsageError('no such command');
  }
}

// Whoever reads the output may stop reading early, as `head` does.
process.stdout.on('error', () => process.exit(0));
try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const usage =
    error instanceof UsageError || /** @type {NodeJS.ErrnoException} */ (error).code?.startsWith('ERR_PARSE');
  say(reasonOf(error));
  if (usage) process.stderr.write(`\n${HELP}`);
  process.exitCode = usage ? 2 : 1;
}
