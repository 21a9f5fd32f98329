/**
 * Something a run can be held to: a row of the target, or the headline's ratio.
 * @typedef {object} Limit
 * @property {string | null} row null = the ratio of the scenario's main row
 * @property {'most' | 'exactly'} kind
 * @property {number} least of the option's value
 * @property {number} most of the option's value
 * @property {boolean} [needsSpawn] only a server that the bench starts can be measured so
 * @property {string} help
 */

/** Every limit, by its name on the command line; it belongs to the scenarios that have the row. @type {Record<string, Limit>} */
export const LIMITS = {
  'max-ratio': {
    row: null,
    kind: 'most',
    least: 0.01,
    most: 1000,
    help: 'target / floor of the main row',
  },
  'max-bytes-per-connection': {
    row: 'bytes',
    kind: 'most',
    least: 1,
    most: 1_000_000,
    needsSpawn: true,
    help: 'memory of one idle subscribed connection',
  },
  'max-batch-cost': {
    row: 'batch_cost',
    kind: 'most',
    least: 0.001,
    most: 100,
    help: 'CPU of a batch, of its events published singly',
  },
  'max-slowdown': {
    row: 'slowdown',
    kind: 'most',
    least: 0.01,
    most: 1000,
    help: 'latency p99 beside the slow reader, of that while all read',
  },
  'max-growth-mib': {
    row: 'growth_mib',
    kind: 'most',
    least: 0.1,
    most: 10_000,
    help: 'memory the server grew by for the slow reader',
  },
  'close-code': {
    row: 'close_code',
    kind: 'exactly',
    least: 0,
    most: 4999,
    help: 'what the slow reader is closed with',
  },
  'max-slope-mib-per-minute': {
    row: 'slope',
    kind: 'most',
    least: 0.001,
    most: 1000,
    help: 'rise of memory in the second half',
  },
};

/** @param {Limit} limit @param {Pick<import('../scenarios/metrics.js').Scenario, 'rows'>} scenario */
export const belongsTo = ({ row }, { rows }) =>
  rows.some(({ key, headline }) => (row === null ? headline === true : key === row));
