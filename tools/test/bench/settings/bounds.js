import { availableParallelism } from 'node:os';
import { BenchError } from './bench-error.js';

/**
 * A numeric option of the command line.
 * @typedef {object} Bound
 * @property {keyof import('../load/model.js').Settings} setting
 * @property {number} least
 * @property {number} most
 * @property {number} usual when neither the command line nor the scenario says
 * @property {boolean} [whole]
 * @property {string[]} [only] the scenarios that take it, the others have `least`; all when absent
 * @property {string} help
 */

/** Every numeric option, by its name on the command line. @type {Record<string, Bound>} */
export const BOUNDS = {
  duration: { setting: 'duration', least: 0.2, most: 60, usual: 5, help: 'seconds measured per round' },
  warmup: {
    setting: 'warmup',
    least: 0,
    most: 30,
    usual: 1,
    help: 'seconds of load before each measurement',
  },
  rounds: { setting: 'rounds', least: 1, most: 9, usual: 3, whole: true, help: 'rounds of target and floor' },
  connections: {
    setting: 'connections',
    least: 1,
    most: 19_000,
    usual: 64,
    whole: true,
    help: 'subscribers, or connections that send requests',
  },
  channels: { setting: 'channels', least: 1, most: 10_000, usual: 1, whole: true, help: 'channels in use' },
  rate: {
    setting: 'rate',
    least: 0,
    most: 200_000,
    usual: 0,
    help: 'requests per second, open loop; 0 (http, publish) = closed loop',
  },
  'payload-bytes': {
    setting: 'payloadBytes',
    least: 1,
    most: 60_000,
    usual: 100,
    whole: true,
    help: 'size of the event data, at least 21',
  },
  pipeline: {
    setting: 'pipeline',
    least: 1,
    most: 64,
    usual: 1,
    whole: true,
    help: 'HTTP requests under way per connection',
  },
  'publish-sockets': {
    setting: 'publishSockets',
    least: 1,
    most: 256,
    usual: 16,
    whole: true,
    help: 'keep-alive connections that publish',
  },
  batch: {
    setting: 'batch',
    least: 1,
    most: 64,
    usual: 1,
    whole: true,
    only: ['publish', 'fanout', 'fanout-many'],
    help: 'requests that leave together; for publish, events in one batch request',
  },
  settle: {
    setting: 'settle',
    least: 0,
    most: 60,
    usual: 10,
    only: ['conns'],
    help: 'seconds of silence before memory is read, twice a round',
  },
  minutes: {
    setting: 'minutes',
    least: 0.02,
    most: 180,
    usual: 30,
    only: ['soak'],
    help: 'how long it is measured',
  },
  churn: {
    setting: 'churn',
    least: 0,
    most: 400,
    usual: 50,
    only: ['soak'],
    help: 'connections per second that come, stay two seconds and go',
  },
  'load-processes': {
    setting: 'loadProcesses',
    least: 1,
    most: 16,
    usual: Math.min(16, Math.max(1, availableParallelism() - 1)),
    whole: true,
    help: 'processes making load; the server keeps one core',
  },
};

/**
 * The number a person typed; refuses what is out of bounds rather than bending it.
 * @param {string} name of the option
 * @param {string} text
 * @param {{ least: number, most: number, whole?: boolean }} bound
 */
export function boundedNumber(name, text, { least, most, whole }) {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (!(value >= least && value <= most) || (whole === true && !Number.isInteger(value))) {
    throw new BenchError(
      `--${name} must be a ${whole ? 'whole ' : ''}number from ${least} to ${most}, not "${text}"`,
    );
  }
  return value;
}
