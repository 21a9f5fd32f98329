// The reporter of `npm test`: one line per package, details of failures at the end, console output of failed tests only.
import { writeFileSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { MinimalReporter } from 'vitest/node';
import { REPORT, secondsText } from './report.js';
import { root } from './workspace.js';

const NAME_WIDTH = 30;

/** Returns the folder of the package that a test file belongs to. */
function packageOf(path) {
  const parts = relative(root, path).split(sep);
  return parts.slice(0, parts[0] === 'libs' ? 3 : 2).join('/');
}

/** Totals of one package while its files run. */
class PackageTotals {
  pendingFiles = 0;
  tests = 0;
  failed = 0;
  failedFiles = 0;
  ms = 0;

  add({ status, tests, ms }) {
    this.pendingFiles -= 1;
    this.tests += tests.length;
    this.failed += tests.filter((test) => test.status === 'failed').length;
    this.failedFiles += status === 'failed' ? 1 : 0;
    this.ms += ms;
  }

  line(name) {
    const failed = this.failedFiles > 0;
    const count = `${this.tests} ${this.tests === 1 ? 'test' : 'tests'}`;
    const failures = this.failed > 0 ? `${this.failed} failed` : `${this.failedFiles} files failed`;
    const columns = [failed ? 'FAIL' : 'ok  ', name.padEnd(NAME_WIDTH), count.padStart(10)];
    return `${columns.join(' ')} ${secondsText(this.ms).padStart(9)}${failed ? `  ${failures}` : ''}`;
  }
}

/** The result of one test file as the JSON report holds it. */
function fileResult(testModule) {
  const tests = [...testModule.children.allTests()].map((test) => ({
    name: test.fullName,
    status: test.result().state,
  }));
  const { duration = 0, collectDuration = 0 } = testModule.diagnostic();
  return {
    path: testModule.moduleId,
    status: testModule.state(),
    tests,
    ms: duration + collectDuration,
  };
}

/** Names an error thrown outside of tests: its message and, if known, the file that ran meanwhile. */
function errorText(error) {
  const [message] = String(error.message ?? error).split('\n');
  const path = error.VITEST_TEST_PATH;
  return path === undefined ? message : `${message} (while ${relative(root, path)} ran)`;
}

export default class PackageReporter extends MinimalReporter {
  #packages = new Map();

  onInit(vitest) {
    this.ctx = vitest;
  }

  onTestRunStart(specifications) {
    super.onTestRunStart(specifications);
    for (const { moduleId } of specifications) this.#totalsOf(packageOf(moduleId)).pendingFiles += 1;
  }

  onTestModuleEnd(testModule) {
    super.onTestModuleEnd(testModule);
    const name = packageOf(testModule.moduleId);
    const totals = this.#totalsOf(name);
    const result = fileResult(testModule);
    totals.add(result);
    if (result.status === 'failed') this.log(`FAIL ${relative(root, result.path)}`);
    if (totals.pendingFiles === 0) this.log(totals.line(name));
  }

  /** Failures are printed once, at the end of the run. */
  printTestModule() {}

  reportTestSummary() {}

  onTestRunEnd(testModules, errors, reason) {
    super.onTestRunEnd(testModules, errors, reason);
    const path = process.env[REPORT];
    if (path === undefined) return;
    const report = { files: testModules.map(fileResult), looseErrors: errors.map(errorText) };
    writeFileSync(path, JSON.stringify(report));
  }

  #totalsOf(name) {
    let totals = this.#packages.get(name);
    if (totals === undefined) this.#packages.set(name, (totals = new PackageTotals()));
    return totals;
  }
}
