// `npm test`: everything, from nothing. Installs, builds, checks, starts the engines, runs every test, stops the engines,
// and says what could not be started.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { withBundles } from './bundle.js';
import { ensureBuilt, ensureInstalled } from './ensure.js';
import { LOOSE_ERRORS } from './loose-errors.js';
import { SEED, seedOfRun } from './seed.js';
import { bin, root, run, say } from './workspace.js';

const CI = process.env.CI === 'true';

/** What fails in these projects has no engine and no other process to blame, and is not tried again. */
const NEVER_AGAIN = /\/libs\/(ground|domain\/channels)\//;

const SLOWEST = 10;

/** More files that fail than this have a common cause, and are not tried again. */
const MOST_AGAIN = 3;

/** Vitest's own output for people, and its JSON for what is decided here. */
async function vitest(filters) {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-test-'));
  const report = join(folder, 'report.json');
  const loose = join(folder, 'loose');
  const options = ['--config', 'tools/run/vitest.config.js', '--reporter=default', '--reporter=json'];
  options.push('--reporter=./tools/run/loose-errors.js', `--outputFile.json=${report}`);
  process.env[LOOSE_ERRORS] = loose;
  const code = await run(bin('vitest'), ['run', ...options, ...filters]);
  const told = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : {};
  const hasLooseErrors = existsSync(loose);
  rmSync(folder, { recursive: true });
  return { code, files: told.testResults ?? [], unsteady: [], hasLooseErrors };
}

const countOf = (files, status) =>
  files.flatMap(({ assertionResults }) => assertionResults.filter((test) => test.status === status)).length;

/** The tests of a file that failed; the file itself when it failed before any of them. */
function failuresOf({ name, assertionResults }) {
  const failed = assertionResults.filter(({ status }) => status === 'failed');
  return failed.length > 0 ? failed.map(({ fullName }) => fullName) : [name];
}

/**
 * Runs tests. A file that fails is run once more by itself, in a process of its own: what fails again fails the run. What
 * does not is named as unsteady: most likely the machine had too much to do, and if not it is a fault to look for. An
 * error outside of every test is nobody's to try again.
 */
async function runTests(filters) {
  const first = await vitest(filters);
  const broken = first.files.filter(({ status }) => status === 'failed');
  const tooMany = broken.length > MOST_AGAIN || broken.some(({ name }) => NEVER_AGAIN.test(name));
  if (first.code === 0 || broken.length === 0 || tooMany || first.hasLooseErrors) return first;
  const again = broken.map(({ name }) => name);
  say(`once more: ${again.join(', ')}`);
  const second = await vitest(again);
  const files = [...first.files.filter((file) => !broken.includes(file)), ...second.files];
  const still = new Set(second.files.filter(({ status }) => status === 'failed').flatMap(failuresOf));
  return {
    code: second.code,
    files,
    unsteady: broken.flatMap(failuresOf).filter((name) => !still.has(name)),
  };
}

const secondsOf = ({ startTime, endTime }) => (endTime - startTime) / 1000;

/** What makes the run long is said at its end, so that it is noticed when it grows. */
function saySlowest(files) {
  const slowest = [...files].sort((one, other) => secondsOf(other) - secondsOf(one)).slice(0, SLOWEST);
  for (const file of slowest) say(`${secondsOf(file).toFixed(1)} s in ${relative(root, file.name)}`);
}

/** All engines for all tests; for chosen ones, each test file starts what it needs by itself. */
async function withEngines(work) {
  const { ENGINE_NAMES, startAll, stopAll } = await import('@carillon/engines');
  const stopOnSignal = () => void stopAll().finally(() => process.exit(1));
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stopOnSignal);
  try {
    const { missing } = await startAll(ENGINE_NAMES);
    return { ...(await work()), missing };
  } finally {
    say('stopping engines');
    await stopAll();
  }
}

const filters = process.argv.slice(2);
process.env[SEED] = seedOfRun();
say(`seed ${process.env[SEED]}`);
await ensureInstalled();
await ensureBuilt();
const lint = filters.length > 0 ? 0 : await run(process.execPath, ['tools/run/lint.js']);
const {
  code,
  files,
  unsteady,
  missing = [],
} = filters.length > 0 ? await runTests(filters) : await withBundles(() => withEngines(() => runTests([])));
for (const { name, reason } of missing) say(`could not start ${name}: ${reason}`);
for (const name of unsteady) say(`unsteady, failed at first: ${name}`);
saySlowest(files);
if (lint !== 0) say('the checks before the tests failed, see above');
console.log(`${countOf(files, 'passed')} passed, ${countOf(files, 'failed')} failed`);
process.exit(code !== 0 || lint !== 0 || (CI && missing.length > 0) ? 1 : 0);
