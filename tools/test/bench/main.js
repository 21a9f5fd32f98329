// `node tools/test/bench <scenario> --url …`: loads a server and the floor in turn and says what each cost.
import { killAll } from './control/children.js';
import { runRounds } from './control/rounds.js';
import { judge } from './report/judge.js';
import { summarise } from './report/summary.js';
import { table } from './report/table.js';
import { BenchError } from './settings/bench-error.js';
import { helpText } from './settings/help.js';
import { parseOptions } from './settings/options.js';

/** They start what they measure, and need the compiled rooms, which nothing else here does. */
const ON_THEIR_OWN = {
  history: async () => (await import('./src/history/main.js')).benchHistory,
  ai: async () => (await import('./src/ai/main.js')).benchAi,
  storm: async () => (await import('./src/storm/main.js')).benchStorm,
  push: async () => (await import('./src/push/main.js')).benchPush,
  annotations: async () => (await import('./src/annotations/main.js')).benchAnnotations,
  attacks: async () => (await import('./src/attacks/main.js')).benchAttacks,
  'history-pages': async () => (await import('./src/history-pages/main.js')).benchHistoryPages,
};
const EXIT = { failed: 1, misused: 2, aboveLimit: 3, interrupted: 130 };

/** @param {string} line */
const progress = (line) => process.stderr.write(`bench: ${line}\n`);

/** @param {unknown} error @param {number} code @returns {never} */
function giveUp(error, code) {
  progress(error instanceof BenchError ? error.message : String(/** @type {Error} */ (error).stack ?? error));
  process.exit(code);
}

function options() {
  try {
    return parseOptions(process.argv.slice(2));
  } catch (error) {
    return giveUp(error, EXIT.misused);
  }
}

/** @param {import('./settings/options.js').Options} options */
async function run(options) {
  const summary = summarise(options, await runRounds(options, progress));
  process.stdout.write(
    options.json ? `${JSON.stringify(summary, null, 2)}\n` : table(options.scenario.rows, summary),
  );
  const { lines, kept } = judge(options.limits, summary);
  for (const line of lines) progress(line);
  return kept ? 0 : EXIT.aboveLimit;
}

process.on('exit', killAll);
process.on('SIGINT', () => process.exit(EXIT.interrupted));
process.on('SIGTERM', () => process.exit(EXIT.interrupted));

const named = Object.entries(ON_THEIR_OWN).find(([name]) => name === process.argv[2]);
if (named !== undefined) {
  try {
    const bench = await named[1]();
    process.exit((await bench(process.argv.slice(3), progress)) ? 0 : EXIT.aboveLimit);
  } catch (error) {
    giveUp(error, EXIT.failed);
  }
}

const asked = options();
if (asked === null) {
  process.stdout.write(helpText());
} else {
  const limit = setTimeout(
    () => giveUp(new BenchError(`given up after ${asked.timeLimit} s`), EXIT.failed),
    asked.timeLimit * 1000,
  );
  try {
    process.exitCode = await run(asked);
  } catch (error) {
    giveUp(error, EXIT.failed);
  } finally {
    clearTimeout(limit);
  }
}
