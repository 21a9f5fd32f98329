import { parseArgs } from 'node:util';
import { scenarios } from '../scenarios/index.js';
import { BenchError } from './bench-error.js';
import { boundedNumber, BOUNDS } from './bounds.js';
import { parseTargetUrl } from './target-url.js';

const LONGEST_RUN_SECONDS = 900;

/**
 * @typedef {object} Options
 * @property {import('../scenarios/metrics.js').Scenario} scenario
 * @property {import('../load/model.js').Settings} settings
 * @property {import('../load/model.js').Server} server the target as a load process sees it
 * @property {string} url as given
 * @property {number | null} pid of a target that runs already; null when unknown or not started yet
 * @property {string | null} spawn the command that starts the target; null when it runs already
 * @property {boolean} json
 * @property {number | null} maxRatio the run fails when the headline ratio is above it
 * @property {number} timeLimit seconds after which the run is given up
 */

const TEXT = /** @type {const} */ ({ type: 'string' });

/** @param {string[]} argv */
function read(argv) {
  const options = {
    ...Object.fromEntries(Object.keys(BOUNDS).map((name) => [name, TEXT])),
    url: TEXT,
    app: TEXT,
    key: TEXT,
    secret: TEXT,
    pid: TEXT,
    spawn: TEXT,
    'max-ratio': TEXT,
    'time-limit': TEXT,
    json: /** @type {const} */ ({ type: 'boolean' }),
    help: /** @type {const} */ ({ type: 'boolean' }),
  };
  try {
    const { values, positionals } = parseArgs({ args: argv, options, allowPositionals: true });
    return { values: /** @type {Record<string, string | boolean | undefined>} */ (values), positionals };
  } catch (error) {
    throw new BenchError(/** @type {Error} */ (error).message);
  }
}

/**
 * What the command line asks for; null when it asks for the help.
 * @param {string[]} argv
 * @returns {Options | null}
 */
export function parseOptions(argv) {
  const { values, positionals } = read(argv);
  if (values['help'] === true || argv.length === 0) return null;
  const text = (/** @type {string} */ name) => {
    const value = values[name];
    return typeof value === 'string' ? value : null;
  };
  const number = (/** @type {string} */ name, /** @type {number} */ least, /** @type {number} */ most) => {
    const value = text(name);
    return value === null ? null : boundedNumber(name, value, { least, most });
  };
  const scenario = scenarios.find(({ name }) => name === positionals[0]);
  if (scenario === undefined || positionals.length > 1) {
    throw new BenchError(`name one scenario: ${scenarios.map(({ name }) => name).join(', ')}`);
  }
  const url = text('url');
  if (url === null) throw new BenchError('--url is missing: the server to measure');
  const timeLimit = number('time-limit', 5, LONGEST_RUN_SECONDS) ?? LONGEST_RUN_SECONDS;
  return {
    scenario,
    settings: settingsOf(scenario, text, timeLimit),
    server: { ...parseTargetUrl(url), credentials: credentialsOf(scenario, text) },
    url,
    pid: number('pid', 1, 2 ** 22),
    spawn: text('spawn'),
    json: values['json'] === true,
    maxRatio: number('max-ratio', 0.01, 1000),
    timeLimit,
  };
}

/** @typedef {(name: string) => string | null} Text */

/** @param {import('../scenarios/metrics.js').Scenario} scenario @param {Text} text @param {number} timeLimit */
function settingsOf(scenario, text, timeLimit) {
  const pairs = Object.entries(BOUNDS).map(([name, bound]) => {
    const given = text(name);
    const value = given === null ? scenario.defaults[bound.setting] : boundedNumber(name, given, bound);
    return [bound.setting, value ?? bound.usual];
  });
  /** @type {import('../load/model.js').Settings} */
  const settings = Object.fromEntries(pairs);
  if (settings.rate === 0 && (scenario.defaults.rate ?? 0) > 0) {
    throw new BenchError(`--rate must be above 0 for ${scenario.name}`);
  }
  const seconds = settings.rounds * 2 * (settings.warmup + settings.duration);
  if (seconds >= timeLimit) {
    throw new BenchError(`${seconds} s of load do not fit the time limit of ${timeLimit} s`);
  }
  return { ...settings, loadProcesses: Math.min(settings.loadProcesses, settings.connections) };
}

/** @param {import('../scenarios/metrics.js').Scenario} scenario @param {Text} text */
function credentialsOf({ name, needs }, text) {
  const wanted = { none: [], key: ['key'], secret: ['app', 'key', 'secret'] }[needs];
  for (const one of wanted)
    if (text(one) === null) throw new BenchError(`--${one} is missing: ${name} needs it`);
  for (const one of ['app', 'key']) {
    if (!/^[\w.~-]{0,200}$/.test(text(one) ?? '')) {
      throw new BenchError(`--${one} may only hold letters, digits and _ . ~ -`);
    }
  }
  return { app: text('app') ?? '', key: text('key') ?? '', secret: text('secret') ?? '' };
}
