// `npm test`: everything, from nothing. Installs, builds, checks, starts the engines, runs every test, stops the engines,
// and says what could not be started.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled } from './ensure.js';
import { bin, run, say } from './workspace.js';

const CI = process.env.CI === 'true';

/** Vitest's own output for people, and its JSON for the closing line. */
async function runTests(filters) {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-test-'));
  const report = join(folder, 'report.json');
  const options = ['--config', 'tools/run/vitest.config.js', '--reporter=default', '--reporter=json'];
  const code = await run(bin('vitest'), ['run', ...options, `--outputFile.json=${report}`, ...filters]);
  const counts = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : {};
  rmSync(folder, { recursive: true });
  return { code, passed: counts.numPassedTests ?? 0, failed: counts.numFailedTests ?? 0 };
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
await ensureInstalled();
await ensureBuilt();
const lint = filters.length > 0 ? 0 : await run(process.execPath, ['tools/run/lint.js']);
const {
  code,
  passed,
  failed,
  missing = [],
} = filters.length > 0 ? await runTests(filters) : await withEngines(() => runTests([]));
for (const { name, reason } of missing) say(`could not start ${name}: ${reason}`);
if (lint !== 0) say('the checks before the tests failed, see above');
console.log(`${passed} passed, ${failed} failed`);
process.exit(code !== 0 || lint !== 0 || (CI && missing.length > 0) ? 1 : 0);
