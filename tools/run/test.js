// `npm test`: everything, from nothing. Installs, builds, checks, starts the engines, runs every test, stops the engines,
// and says what could not be started.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { withBundles } from './bundle.js';
import { ensureBuilt, ensureInstalled } from './ensure.js';
import { COSTS, REPORT } from './report.js';
import { SEED, seedOfRun } from './seed.js';
import { readCosts, saySlowest, writeTable } from './test-times.js';
import { bin, root, run, runBeside, say } from './workspace.js';

const CI = process.env.CI === 'true';

/** What fails in these projects has no engine and no other process to blame, and is not tried again. */
const NEVER_AGAIN = /\/libs\/(ground|domain\/channels)\//;

/** More files that fail than this have a common cause, and are not tried again. */
const MAX_AGAIN = 3;

/** At most this many failures are named in the last lines. */
const MAX_NAMED = 20;

/** Runs vitest with `reporter.js`; returns its exit code, the reported files with their costs, and errors outside of tests. */
async function vitest(filters) {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-test-'));
  const path = join(folder, 'report.json');
  const costsPath = join(folder, 'costs.jsonl');
  process.env[REPORT] = path;
  process.env[COSTS] = costsPath;
  const code = await run(bin('vitest'), ['run', '--config', 'tools/run/vitest.config.js', ...filters]);
  const report = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : { files: [], looseErrors: [] };
  const costs = readCosts(costsPath);
  rmSync(folder, { recursive: true });
  return { code, ...report, costs, unsteady: [] };
}

const testsOf = (files, status) =>
  files.flatMap(({ tests }) => tests.filter((test) => test.status === status));

const isFailed = ({ status }) => status === 'failed';

/** Returns the failed tests of a failed file; the file itself if it failed outside of them. */
function failuresOf({ path, tests }) {
  const failed = tests.filter(isFailed).map(({ name }) => name);
  return failed.length > 0 ? failed : [relative(root, path)];
}

/**
 * Runs tests. A failed file is run once more alone, in a process of its own, and fails the run if it fails again;
 * otherwise its failures are reported as unsteady. Errors outside of tests have no file to run again.
 */
async function runTests(filters) {
  const first = await vitest(filters);
  const broken = first.files.filter(isFailed);
  const tooMany = broken.length > MAX_AGAIN || broken.some(({ path }) => NEVER_AGAIN.test(path));
  if (first.code === 0 || broken.length === 0 || tooMany || first.looseErrors.length > 0) return first;
  const again = broken.map(({ path }) => path);
  say(`once more: ${again.join(', ')}`);
  const second = await vitest(again);
  const files = [...first.files.filter((file) => !broken.includes(file)), ...second.files];
  const still = new Set(second.files.filter(isFailed).flatMap(failuresOf));
  const unsteady = broken.flatMap(failuresOf).filter((name) => !still.has(name));
  return { ...second, files, costs: first.costs, unsteady };
}

/** Lists why the run failed, in one line each; empty if it passed. */
function reasons({ code, files, looseErrors, missing = [] }, lint) {
  const failures = files.filter(isFailed).flatMap(failuresOf);
  const found = [
    ...(lint === 0 ? [] : ['the checks beside the tests, see above']),
    ...failures.slice(0, MAX_NAMED),
    ...(failures.length > MAX_NAMED ? [`${failures.length - MAX_NAMED} more tests`] : []),
    ...looseErrors.slice(0, MAX_NAMED).map((text) => `error outside of tests: ${text}`),
    ...(CI ? missing.map(({ name }) => `engine ${name} is missing`) : []),
  ];
  if (code !== 0 && files.length === 0) found.push(`no test ran (filters: ${filters.join(' ') || 'none'})`);
  if (code !== 0 && found.length === 0) found.push(`vitest ended with code ${code}`);
  return found;
}

/** Accepts paths of sources: tests run as compiled. */
const compiledFilter = (filter) =>
  filter
    .replace(/\.ts$/, '.js')
    .replace(/^(\.\/)?((?:libs\/[^/]+|apps|tools)\/[^/]+)\/test(?=\/|$)/, (path, _dot, folder) =>
      existsSync(join(root, folder, 'dist/test')) ? `${folder}/dist/test` : path,
    );

/** The whole run: the programs are bundled while the engines start; for chosen tests, each file starts what it needs. */
async function runAll() {
  const { ENGINE_NAMES, processorTimes, startAll, stopAll } = await import('@carillon/test-backends');
  const stopOnSignal = () => void stopAll().finally(() => process.exit(1));
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stopOnSignal);
  const starting = startAll(ENGINE_NAMES);
  // Awaited below, unless the bundles fail first.
  starting.catch(() => undefined);
  try {
    const outcome = await withBundles(async () => {
      const { missing } = await starting;
      return { ...(await runTests([])), missing };
    });
    return { ...outcome, backends: processorTimes() };
  } finally {
    say('stopping engines');
    await starting.catch(() => undefined);
    await stopAll();
  }
}

/** Checks the sources beside the tests, which wait for engines and processes often enough. */
async function checkSources() {
  const { code, output } = await runBeside(process.execPath, ['tools/run/lint.js', '--built']);
  process.stderr.write(output);
  return code;
}

const filters = process.argv.slice(2).map(compiledFilter);
process.env[SEED] = seedOfRun();
say(`seed ${process.env[SEED]}`);
await ensureInstalled();
await ensureBuilt();
const isChosen = filters.length > 0;
const [lint, outcome] = await Promise.all([
  isChosen ? 0 : checkSources(),
  isChosen ? runTests(filters) : runAll(),
]);
const { files, costs, unsteady, missing = [], backends = {} } = outcome;
for (const { name, reason } of missing) say(`could not start ${name}: ${reason}`);
for (const name of unsteady) say(`unsteady, failed at first: ${name}`);
saySlowest(files, costs);
writeTable(files, costs, backends);
const failed = reasons(outcome, lint);
for (const reason of failed) console.log(`failed: ${reason}`);
console.log(`${testsOf(files, 'passed').length} passed, ${testsOf(files, 'failed').length} failed`);
process.exit(failed.length === 0 ? 0 : 1);
