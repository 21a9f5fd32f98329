// The times of test files: the slowest ones of every run, and on request a table of all with their processor time.
// `CARILLON_TEST_TIMES=times.tsv npm test` writes the table.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { secondsText } from './report.js';
import { root, say } from './workspace.js';

/** The variable with the path of the table. */
const TABLE = 'CARILLON_TEST_TIMES';

const SLOWEST = 10;

const seconds = (ms) => (ms / 1000).toFixed(1);

/** Returns the measured cost of each file by its path; the last one of a file that ran twice. */
export function readCosts(path) {
  if (!existsSync(path)) return new Map();
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  return new Map(lines.map((line) => JSON.parse(line)).map((cost) => [cost.path, cost]));
}

/** Prints the slowest files, so that a run that grows is noticed. */
export function saySlowest(files, costs) {
  const slowest = [...files].sort((one, other) => other.ms - one.ms).slice(0, SLOWEST);
  for (const { path, ms } of slowest) {
    const cost = costs.get(path);
    const processor = cost === undefined ? '' : ` (processor ${secondsText(cost.processorMs)})`;
    say(`${secondsText(ms)}${processor} in ${relative(root, path)}`);
  }
}

/**
 * Writes the table that the environment names: of each file the seconds it took, the processor seconds of its process
 * and the ended child processes, the seconds from the start of the run to its start, and its process; then the
 * processor seconds of the shared test backends.
 */
export function writeTable(files, costs, backends) {
  const path = process.env[TABLE];
  if (path === undefined) return;
  const begin = Math.min(...[...costs.values()].map(({ from }) => from));
  const rows = [...files]
    .sort((one, other) => other.ms - one.ms)
    .map((file) => {
      const { processorMs = 0, from = begin, process: pid = 0 } = costs.get(file.path) ?? {};
      return [seconds(file.ms), seconds(processorMs), seconds(from - begin), pid, relative(root, file.path)];
    });
  const shared = Object.entries(backends).map(([name, ms]) => ['', seconds(ms), '', '', `backend ${name}`]);
  const lines = [['wall', 'processor', 'start', 'process', 'file'], ...rows, ...shared];
  writeFileSync(path, lines.map((line) => `${line.join('\t')}\n`).join(''));
}
