import { merged } from './merged.js';

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
export const joined = (parts) => ({
  ...merged(parts.map((part) => ({ ...part, latency: part.latency.toJSON(), lag: part.lag.toJSON() }))),
  seconds: sum(parts.map(({ seconds }) => seconds)),
  cpuUs: parts.some(({ cpuUs }) => cpuUs === null) ? null : sum(parts.map(({ cpuUs }) => cpuUs ?? 0)),
  memory: parts.flatMap(({ memory }) => memory),
});

/** @param {number[]} values */
const sum = (values) => values.reduce((total, value) => total + value, 0);
