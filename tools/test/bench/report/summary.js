import { availableParallelism, cpus } from 'node:os';
import { median } from './statistics.js';

/** @typedef {import('../scenarios/metrics.js').Metrics} Metrics */

/**
 * The whole outcome of a run, as `--json` prints it. Credentials are not part of it.
 * @param {import('../settings/options.js').Options} options
 * @param {Awaited<ReturnType<typeof import('../control/rounds.js').runRounds>>} outcome
 */
export function summarise({ scenario, settings, url }, { rounds, problems }) {
  const target = medians(rounds.map((round) => round.target));
  const floor = medians(rounds.map((round) => round.floor));
  const compared = scenario.rows.filter(({ compare }) => compare === true);
  return {
    scenario: scenario.name,
    url,
    settings,
    machine: { cores: availableParallelism(), cpu: cpus()[0]?.model ?? 'unknown', node: process.version },
    target,
    floor,
    ratio: Object.fromEntries(compared.map(({ key }) => [key, ratio(target[key], floor[key])])),
    ratio_range: Object.fromEntries(compared.map(({ key }) => [key, range(rounds, key)])),
    headline: scenario.rows.find(({ headline }) => headline === true)?.key ?? null,
    rounds,
    problems,
  };
}

/** @param {Metrics[]} rounds @returns {Metrics} */
function medians(rounds) {
  const keys = Object.keys(rounds[0] ?? {});
  return Object.fromEntries(keys.map((key) => [key, median(rounds.map((round) => round[key] ?? null))]));
}

/** The smallest and the largest ratio of a single round; null when no round has one. @param {import('../control/rounds.js').Round[]} rounds @param {string} key */
function range(rounds, key) {
  const ratios = rounds
    .map((round) => ratio(round.target[key], round.floor[key]))
    .filter((value) => value !== null);
  return ratios.length === 0 ? null : { least: Math.min(...ratios), most: Math.max(...ratios) };
}

/** @param {number | null | undefined} target @param {number | null | undefined} floor */
const ratio = (target, floor) =>
  typeof target === 'number' && typeof floor === 'number' && floor > 0 ? target / floor : null;
