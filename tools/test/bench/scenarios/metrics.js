// What scenarios have in common when they turn a sample into numbers.
import { quantileMs } from '../report/statistics.js';

/**
 * One measured window of one side (target or floor), over all load processes.
 * @typedef {object} Measured
 * @property {number} seconds
 * @property {Record<string, number>} counts inside the measured window
 * @property {Record<string, number>} totals until nothing more came in
 * @property {number | null} cpuUs of the server's process tree inside the window; null when its pid is not known
 * @property {{ seconds: number, rssBytes: number }[]} memory of the same tree during the window; empty without a pid
 * @property {import('../load/histogram.js').Histogram} latency
 * @property {import('../load/histogram.js').Histogram} lag
 * @property {string} problem
 */

/**
 * One side in one round: its first window, and all of them in `phases`.
 * @typedef {Measured & {
 *   phases: Measured[],
 *   rssBytes: { before: number, ready: number, settled: number } | null,
 * }} Sample
 * `rssBytes`: before the load's connections were opened, when all were open, and after `settle` seconds of silence.
 */

/**
 * A window still to come.
 * @typedef {object} PlannedPhase
 * @property {string} name
 * @property {(done: Measured[]) => number} rate requests per second, from what the windows before it showed
 */

/** @typedef {Record<string, number | null>} Metrics */

/**
 * A line of the report.
 * @typedef {object} Row
 * @property {string} key
 * @property {string} title
 * @property {number} digits after the point
 * @property {boolean} [compare] whether target divided by floor means something
 * @property {boolean} [headline] the row `--max-ratio` looks at
 */

/**
 * @typedef {object} Scenario
 * @property {string} name
 * @property {string} summary one line for the help
 * @property {Partial<import('../load/model.js').Settings>} defaults
 * @property {'none' | 'key' | 'secret'} needs credentials: none, the app key, or all three
 * @property {boolean} [fresh] each round needs a newly started server
 * @property {boolean} [collects] a server the bench starts collects its garbage before its memory is read
 * @property {boolean} [alone] only the target is loaded: what is measured needs no floor beside it
 * @property {boolean} [several] the target may be an installation of several processes
 * @property {string[]} [dialects] protocols that its clients may speak, the first where nothing is said; only `v1` when
 *   absent
 * @property {boolean} [serviceOnly] the floor cannot do it, so that it can be tried on a real service alone
 * @property {boolean} [lasting] measured for `minutes`, not for `duration`
 * @property {boolean} [signedFloor] the floor checks signatures as the target must
 * @property {number} [turns] its windows are measured in so many parts each, by turns, so that a machine that slows down
 *   for some seconds favours none; 1 when absent
 * @property {number} [sampleSeconds] memory is also read this often inside a window
 * @property {(settings: import('../load/model.js').Settings) => PlannedPhase[]} [phases] its windows; one when absent
 * @property {(context: import('../load/model.js').LoadContext) => import('../load/model.js').Load} load
 * @property {Row[]} rows
 * @property {(sample: Sample, settings: import('../load/model.js').Settings) => Metrics} metrics
 */

/** @param {string} unit singular @param {string} units plural @returns {Row[]} */
export const unitRows = (unit, units) => [
  { key: 'per_second', title: `${units} per second`, digits: 0 },
  { key: 'cpu_us', title: `CPU µs per ${unit}`, digits: 2, compare: true, headline: true },
  { key: 'busy_percent', title: 'server CPU, % of one core', digits: 1 },
];

/** @type {Row[]} */
export const latencyRows = [
  { key: 'p50_ms', title: 'latency p50, ms', digits: 3, compare: true },
  { key: 'p90_ms', title: 'latency p90, ms', digits: 3 },
  { key: 'p99_ms', title: 'latency p99, ms', digits: 3, compare: true },
  { key: 'p999_ms', title: 'latency p99.9, ms', digits: 3 },
  { key: 'max_ms', title: 'latency max, ms', digits: 3 },
  { key: 'lag_p99_ms', title: 'own sending lag p99, ms', digits: 3 },
];

/** @type {Row} */
export const failedRow = { key: 'failed', title: 'failed', digits: 0 };
/** @type {Row} */
export const missingRow = { key: 'missing', title: 'deliveries missing', digits: 0 };

/** @param {Measured} measured @param {number} units done inside the window @returns {Metrics} */
export const unitMetrics = ({ seconds, cpuUs }, units) => ({
  per_second: units / seconds,
  cpu_us: cpuUs === null || units === 0 ? null : cpuUs / units,
  busy_percent: cpuUs === null ? null : cpuUs / seconds / 10_000,
});

/** @param {Measured} measured @returns {Metrics} */
export const latencyMetrics = ({ latency, lag }) => ({
  p50_ms: quantileMs(latency, 0.5),
  p90_ms: quantileMs(latency, 0.9),
  p99_ms: quantileMs(latency, 0.99),
  p999_ms: quantileMs(latency, 0.999),
  max_ms: latency.count === 0 ? null : latency.max / 1000,
  lag_p99_ms: quantileMs(lag, 0.99),
});

/** @param {Measured} measured @returns {Metrics} */
export const deliveryMetrics = ({ totals }) => ({
  failed: (totals['failed'] ?? 0) + (totals['lost'] ?? 0),
  missing: (totals['expected'] ?? 0) - (totals['received'] ?? 0),
});
