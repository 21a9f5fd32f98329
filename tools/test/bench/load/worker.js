// One load process. The controlling process sends `create`, `prepare`, `run` (once per phase) and `close`, one at a time,
// and gets one answer each; when it goes away, this process ends.
import { scenarios } from '../scenarios/index.js';
import { nowUs, until } from './clock.js';
import { Stopwatch } from './stopwatch.js';

const QUIET_CHECK_US = 100_000;
const LONGEST_DRAIN_US = 2_000_000;

const stopwatch = new Stopwatch();
/** @type {import('./model.js').Load | null} */
let load = null;

/** @param {Record<string, number>} after @param {Record<string, number>} before */
const difference = (after, before) =>
  Object.fromEntries(Object.entries(after).map(([name, value]) => [name, value - (before[name] ?? 0)]));

/** Resolves when the counters stand still, at the latest after two seconds. @param {import('./model.js').Load} load */
async function drained(load) {
  const giveUpUs = nowUs() + LONGEST_DRAIN_US;
  let before = '';
  let now = JSON.stringify(load.counts());
  while (before !== now && nowUs() < giveUpUs) {
    await until(nowUs() + QUIET_CHECK_US);
    before = now;
    now = JSON.stringify(load.counts());
  }
}

/** @typedef {{ startUs: number, beginUs: number, endUs: number }} Window */

/** @param {Window} window @param {import('./model.js').Phase} phase @returns {Promise<import('./model.js').LoadResult>} */
async function run({ startUs, beginUs, endUs }, phase) {
  if (load === null) throw new Error('run before create');
  stopwatch.reset(beginUs, endUs);
  const idle = load.counts();
  await until(startUs);
  load.start(startUs, phase);
  await until(beginUs);
  const from = { us: nowUs(), counts: load.counts() };
  await until(endUs);
  const to = { us: nowUs(), counts: load.counts() };
  load.stop();
  await drained(load);
  return {
    seconds: (to.us - from.us) / 1_000_000,
    counts: difference(to.counts, from.counts),
    totals: difference(load.counts(), idle),
    latency: stopwatch.latency.toJSON(),
    lag: stopwatch.lag.toJSON(),
    problem: load.problem(),
  };
}

/** @typedef {{ command: 'create', scenario: string, context: Omit<import('./model.js').LoadContext, 'stopwatch'> }} Create */
/** @typedef {{ command: 'run', window: Window, phase: import('./model.js').Phase }} Run */

/** @param {Create | Run | { command: 'prepare' | 'close' }} message */
async function handle(message) {
  if (message.command === 'run') return run(message.window, message.phase);
  if (message.command === 'prepare') await load?.prepare();
  if (message.command === 'create') {
    const scenario = scenarios.find(({ name }) => name === message.scenario);
    load = scenario?.load({ ...message.context, stopwatch }) ?? null;
    await load?.warmUp?.();
  }
  if (message.command === 'close') {
    await load?.close();
    load = null;
  }
  return null;
}

process.on('disconnect', () => process.exit(0));
// The terminal sends Ctrl-C to every process of the group: the controlling one decides when this one ends.
process.on('SIGINT', () => {});
process.on('message', (/** @type {Parameters<typeof handle>[0]} */ message) => {
  handle(message).then(
    (result) => process.send?.({ result }),
    (/** @type {Error} */ error) =>
      process.send?.({ problem: error.message, expected: error.name === 'BenchError', stack: error.stack }),
  );
});
