import { Histogram } from '../load/histogram.js';

/** @typedef {import('../scenarios/metrics.js').Measured} Measured */
/** @typedef {import('../load/model.js').Settings} Settings */

/** Seconds of load before each part but the first of a window: the server has seen that load before. */
const BETWEEN_TURNS = 0.25;

/** How long each part of a window is, by turn. @param {Settings} settings @param {number} turns @returns {Settings[]} */
export const settingsOfTurns = (settings, turns) =>
  Array.from({ length: turns }, (_, turn) => ({
    ...settings,
    duration: settings.duration / turns,
    warmup: turn === 0 ? settings.warmup : Math.min(settings.warmup, BETWEEN_TURNS),
  }));

/** The parts of one window as one. @param {Measured[]} parts at least one @returns {Measured} */
export function joined(parts) {
  const [latency, lag] = [new Histogram(), new Histogram()];
  for (const part of parts) {
    latency.add(part.latency.toJSON());
    lag.add(part.lag.toJSON());
  }
  return {
    seconds: sum(parts.map(({ seconds }) => seconds)),
    counts: added(parts.map(({ counts }) => counts)),
    totals: added(parts.map(({ totals }) => totals)),
    cpuUs: parts.some(({ cpuUs }) => cpuUs === null) ? null : sum(parts.map(({ cpuUs }) => cpuUs ?? 0)),
    memory: parts.flatMap(({ memory }) => memory),
    latency,
    lag,
    problem: parts.map(({ problem }) => problem).find((problem) => problem !== '') ?? '',
  };
}

/** @param {number[]} values */
const sum = (values) => values.reduce((total, value) => total + value, 0);

/** Counters of the same names, added up. @param {Record<string, number>[]} all */
export function added(all) {
  /** @type {Record<string, number>} */
  const total = {};
  for (const [name, value] of all.flatMap((one) => Object.entries(one)))
    total[name] = (total[name] ?? 0) + value;
  return total;
}
