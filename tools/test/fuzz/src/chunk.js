// One chunk of work: the saved inputs of a target, then as many made ones as wanted, all following from one seed.
import { performance } from 'node:perf_hooks';
import { readCorpus } from './corpus.js';
import { cpuMs, MAX_CPU_MS } from './cost.js';
import { allTokens, mutate } from './mutate/mutate.js';
import { Random } from './random.js';

/** @typedef {import('./target.js').Target} Target */

/**
 * @typedef {object} Failure
 * @property {string} target
 * @property {number} seed
 * @property {string} place which input of the run it was
 * @property {Buffer} input
 * @property {string} problem
 */

/**
 * @typedef {object} ChunkReport
 * @property {string} target
 * @property {number} inputs how many were checked, saved ones included
 * @property {Map<string, number>} outcomes of the inputs that were made
 * @property {Failure[]} failures at most one; the chunk ends with it
 */

/** Inputs with an outcome seen for the first time are mutated further; so many are kept, none of them large. */
const MAX_KEPT = 256;
const LARGEST_KEPT = 4096;
/** From here on the cost of one input is measured properly. */
const SUSPICIOUS_MS = 50;

/** @param {Target} target @param {{ seed: number, inputs: number }} wanted @returns {ChunkReport} */
export function runChunk(target, { seed, inputs }) {
  /** @type {Map<string, number>} */
  const outcomes = new Map();
  const seen = new Set();
  const saved = readCorpus(target.name);
  const pool = saved.map(({ bytes }) => bytes);
  const tokens = allTokens(target.tokens);
  const report = { target: target.name, inputs: 0, outcomes, failures: /** @type {Failure[]} */ ([]) };
  /** @param {Buffer} input @param {string} place */
  const outcomeOf = (input, place) => {
    report.inputs += 1;
    try {
      const outcome = checkOne(target, input);
      const isKept = !seen.has(outcome) && input.length <= LARGEST_KEPT;
      if (isKept && pool.length < saved.length + MAX_KEPT) pool.push(input);
      seen.add(outcome);
      return outcome;
    } catch (error) {
      report.failures.push({ target: target.name, seed, place, input, problem: problemOf(error) });
      return null;
    }
  };
  for (const { name, bytes } of saved) {
    if (outcomeOf(bytes, `saved input "${name}"`) === null) return report;
  }
  for (let index = 0; index < inputs; index += 1) {
    const input = mutate({ random: new Random(seed, index), inputs: pool, tokens });
    const outcome = outcomeOf(input, `input ${index}`);
    if (outcome === null) return report;
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  }
  return report;
}

/** One input, once. @param {Target} target @param {Buffer} input */
export function checkOne(target, input) {
  const start = performance.now();
  const outcome = target.check(input);
  if (performance.now() - start < SUSPICIOUS_MS) return outcome;
  const cost = cpuMs(() => target.check(input), 3);
  if (cost > MAX_CPU_MS) throw new Error(`takes ${Math.round(cost)} ms of CPU for ${input.length} bytes`);
  return outcome;
}

/** @param {unknown} error */
export const problemOf = (error) =>
  error instanceof Error
    ? error.name === 'Broken'
      ? error.message
      : (error.stack ?? error.message)
    : String(error);
