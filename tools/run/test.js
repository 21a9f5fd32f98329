// `npm test`: everything, from nothing. Installs, builds, checks, starts the engines, runs every test, stops the engines,
// and says what could not be started.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled } from './ensure.js';
import { bin, run, say } from './workspace.js';

const CI = process.env.CI === 'true';

async function startEngines() {
  const { ENGINES, startAll } = await import('@carillon/engines');
  return startAll(Object.keys(ENGINES));
}

/** Vitest's own output for people, and its JSON for the closing line. */
async function runTests(filters) {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-test-'));
  const report = join(folder, 'report.json');
  const options = ['--config', 'tools/run/vitest.config.js', '--reporter=default', '--reporter=json'];
  const code = await run(bin('vitest'), ['run', ...options, `--outputFile.json=${report}`, ...filters]);
  const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, 'utf8'));
  rmSync(folder, { recursive: true });
  return { code, passed: numPassedTests, failed: numFailedTests };
}

async function withEngines(work) {
  const { stopAll } = await import('@carillon/engines');
  const { missing } = await startEngines();
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => void stopAll().then(() => process.exit(1)));
  try {
    return { ...(await work()), missing };
  } finally {
    say('stopping engines');
    await stopAll();
  }
}

await ensureInstalled();
await ensureBuilt();
const lint = await run(process.execPath, ['tools/run/lint.js']);
const { code, passed, failed, missing } = await withEngines(() => runTests(process.argv.slice(2)));
for (const { name, reason } of missing) say(`could not start ${name}: ${reason}`);
if (lint !== 0) say('the checks before the tests failed, see above');
console.log(`${passed} passed, ${failed} failed`);
process.exit(code !== 0 || lint !== 0 || (CI && missing.length > 0) ? 1 : 0);
