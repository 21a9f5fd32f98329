// node tools/test/fuzz <target>|all [--seed N] [--inputs M] | <target> --replay FILE
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { checkOne, problemOf } from './chunk.js';
import { superlinear } from './growth.js';
import { replayHttp, runHttp } from './http/run-http.js';
import { replayLive, runLive } from './live/run-live.js';
import { runPure } from './pure-run.js';
import { describeFailure, summaryLine } from './report.js';
import { seedOfTheDay } from './seed.js';
import { PURE_TARGETS } from './targets/index.js';

/** @typedef {import('./chunk.js').ChunkReport} ChunkReport */

const NAMES = [...PURE_TARGETS.map(({ name }) => name), 'http', 'live'];
/** Of `all`, a live input costs about as much as ten others. */
const LIVE_SHARE = 10;

const HELP = `Usage: node tools/test/fuzz <target>|all [--seed N] [--inputs M]
       node tools/test/fuzz <target> --replay FILE

Targets: ${NAMES.join(', ')}
  --seed N      where to begin (default: another one every day; CARILLON_SEED)
  --inputs M    how many inputs to make (default 100000), shared by all targets; of all, a tenth more go to live
  --replay FILE checks one saved input
Exit codes: 0 everything holds, 1 something broke, 2 the command is not understood.
`;

class UsageError extends Error {}

/** @param {string} text */
const print = (text) => void process.stdout.write(`${text}\n`);

/** @param {string | undefined} text @param {number} otherwise @param {string} name */
function wholeNumber(text, otherwise, name) {
  if (text === undefined) return otherwise;
  if (!/^\d{1,10}$/.test(text)) throw new UsageError(`--${name} takes a whole number`);
  return Number(text);
}

/** @param {string} name @param {{ seed: number, inputs: number }} wanted @returns {Promise<ChunkReport>} */
async function runOne(name, wanted) {
  const target = PURE_TARGETS.find((one) => one.name === name);
  if (target !== undefined) return runPure(target, wanted);
  return name === 'http' ? runHttp(wanted) : runLive(wanted);
}

/** @param {string} wanted @param {number} inputs @returns {[name: string, inputs: number][]} */
function plan(wanted, inputs) {
  if (wanted !== 'all') return [[wanted, inputs]];
  const each = Math.ceil(inputs / (PURE_TARGETS.length + 1));
  return NAMES.map((name) => [name, name === 'live' ? Math.ceil(inputs / LIVE_SHARE) : each]);
}

/** @param {string} wanted @param {{ seed: number, inputs: number }} numbers @returns {Promise<boolean>} */
async function run(wanted, { seed, inputs }) {
  print(`seed ${seed}`);
  let broken = 0;
  let total = 0;
  for (const [name, share] of plan(wanted, inputs)) {
    const start = Date.now();
    const report = await runOne(name, { seed, inputs: share });
    print(summaryLine(report, Date.now() - start));
    for (const failure of report.failures) print(describeFailure(failure));
    broken += report.failures.length;
    total += report.inputs;
  }
  const growing = PURE_TARGETS.filter(({ name }) => wanted === 'all' || wanted === name).flatMap(superlinear);
  for (const line of growing) print(`grows too fast: ${line}`);
  print(`${total} inputs, ${broken + growing.length} broken`);
  return broken + growing.length === 0;
}

/** @param {string} name @param {string} file */
async function replay(name, file) {
  const bytes = readFileSync(file);
  const target = PURE_TARGETS.find((one) => one.name === name);
  try {
    const again = name === 'http' ? replayHttp : replayLive;
    print(target === undefined ? await again(bytes) : checkOne(target, bytes));
    return true;
  } catch (error) {
    print(`${name} breaks: ${problemOf(error)}`);
    return false;
  }
}

/** @param {string[]} args @returns {Promise<number>} */
async function main(args) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      seed: { type: 'string' },
      inputs: { type: 'string' },
      replay: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    print(HELP);
    return 0;
  }
  const [name = '', ...more] = positionals;
  if (more.length > 0 || (name !== 'all' && !NAMES.includes(name))) throw new UsageError('which target?');
  if (values.replay !== undefined) {
    if (name === 'all') throw new UsageError('an input belongs to one target');
    return (await replay(name, values.replay)) ? 0 : 1;
  }
  const seed = wholeNumber(values.seed, seedOfTheDay(), 'seed');
  const inputs = wholeNumber(values.inputs, 100_000, 'inputs');
  return (await run(name, { seed, inputs })) ? 0 : 1;
}

// What nobody waited for counts as broken too.
for (const event of ['unhandledRejection', 'uncaughtException']) {
  process.on(event, (error) => {
    print(`${event}: ${problemOf(error)}`);
    process.exit(1);
  });
}
process.stdout.on('error', () => process.exit(0));
try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const usage =
    error instanceof UsageError || /** @type {{ code?: string }} */ (error).code?.startsWith('ERR_PARSE');
  process.stderr.write(`fuzz: ${usage ? /** @type {Error} */ (error).message : problemOf(error)}\n`);
  if (usage) process.stderr.write(`\n${HELP}`);
  process.exitCode = usage ? 2 : 1;
}
