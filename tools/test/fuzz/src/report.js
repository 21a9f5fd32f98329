import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** @typedef {import('./chunk.js').Failure} Failure */

/** Longer inputs are in the file only. */
const MAX_PRINTED_BYTES = 4096;

/** Saves the input and says all that is needed to see the failure again. @param {Failure} failure @returns {string} */
export function describeFailure({ target, seed, place, input, problem }) {
  const folder = join(tmpdir(), 'carillon-fuzz');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${target}-${seed}-${place.replaceAll(/[^a-z0-9]+/gi, '-')}.bin`);
  writeFileSync(file, input);
  const base64 = input.length > MAX_PRINTED_BYTES ? `${input.length} bytes` : input.toString('base64');
  return [
    `${target} breaks at ${place} of seed ${seed}: ${problem}`,
    `  input (base64): ${base64}`,
    `  again: node tools/test/fuzz ${target} --replay ${file}`,
  ].join('\n');
}

/** One line of the summary. @param {{ target: string, inputs: number, outcomes: Map<string, number>, failures: readonly unknown[] }} report @param {number} ms */
export function summaryLine({ target, inputs, outcomes, failures }, ms) {
  const rate = Math.round((inputs / Math.max(ms, 1)) * 1000);
  const verdict = failures.length === 0 ? 'holds' : `broken ${failures.length} times`;
  return `${target.padEnd(17)} ${String(inputs).padStart(9)} inputs ${String(outcomes.size).padStart(4)} outcomes ${String(rate).padStart(7)}/s  ${verdict}`;
}
