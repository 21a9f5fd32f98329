import { parseArgs } from 'node:util';
import { settingsOfTurns } from '../measure/turns.js';
import { scenarios } from '../scenarios/index.js';
import { BenchError } from './bench-error.js';
import { boundedNumber, BOUNDS } from './bounds.js';
import { belongsTo, LIMITS } from './limits.js';
import { parseTargetUrl } from './target-url.js';

const USUAL_TIME_LIMIT_SECONDS = 900;
const LONGEST_TIME_LIMIT_SECONDS = 4 * 3600;
/** What a lasting scenario gets beside its load. */
const MARGIN_SECONDS = 300;

/**
 * @typedef {object} Options
 * @property {import('../scenarios/metrics.js').Scenario} scenario
 * @property {import('../load/model.js').Settings} settings
 * @property {import('../load/model.js').Server} server the target as a load process sees it
 * @property {string} url as given
 * @property {number | null} pid of a target that runs already; null when unknown or not started yet
 * @property {string | null} spawn the command that starts the target; null when it runs already
 * @property {boolean} json
 * @property {Record<string, number>} limits what the run is held to, by option
 * @property {number} timeLimit seconds after which the run is given up
 */

/** Where else an installation of several processes is. */
const PLACES = ['other-port', 'single-port', 'redis-port'];
const LARGEST_PORT = 65_535;

const TEXT = /** @type {const} */ ({ type: 'string' });

/** @param {string[]} argv */
function read(argv) {
  const options = {
    ...Object.fromEntries([...Object.keys(BOUNDS), ...Object.keys(LIMITS)].map((name) => [name, TEXT])),
    url: TEXT,
    app: TEXT,
    key: TEXT,
    secret: TEXT,
    dialect: TEXT,
    pid: TEXT,
    spawn: TEXT,
    'time-limit': TEXT,
    ...Object.fromEntries(PLACES.map((name) => [name, TEXT])),
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
  const settings = settingsOf(scenario, text);
  return {
    scenario,
    settings,
    server: serverOf(scenario, url, text),
    url,
    pid: number('pid', 1, 2 ** 22),
    spawn: text('spawn'),
    json: values['json'] === true,
    limits: limitsOf(scenario, text),
    timeLimit: timeLimitOf(scenario, settings, number('time-limit', 5, LONGEST_TIME_LIMIT_SECONDS)),
  };
}

/** @typedef {(name: string) => string | null} Text */

/**
 * @param {import('../scenarios/metrics.js').Scenario} scenario
 * @param {string} url
 * @param {Text} text
 * @returns {import('../load/model.js').Server}
 */
function serverOf(scenario, url, text) {
  const ports = PLACES.map((name) => {
    const given = text(name);
    if (given === null) return null;
    if (scenario.several !== true) throw new BenchError(`--${name} is not for ${scenario.name}`);
    return boundedNumber(name, given, { least: 1, most: LARGEST_PORT, whole: true });
  });
  const target = parseTargetUrl(url);
  const [otherPort = null, singlePort = null, redisPort = null] = ports;
  return {
    ...target,
    ...(otherPort === null ? {} : { otherPort }),
    ...(singlePort === null ? {} : { singlePort }),
    redisPort,
    dialect: dialectOf(scenario, text),
    credentials: credentialsOf(scenario, text),
  };
}

/** @param {import('../scenarios/metrics.js').Scenario} scenario @param {Text} text */
function dialectOf({ name, dialects = ['v1'] }, text) {
  const dialect = text('dialect') ?? dialects[0] ?? 'v1';
  if (!dialects.includes(dialect)) throw new BenchError(`--dialect of ${name} is ${dialects.join(' or ')}`);
  return dialect;
}

/** @param {import('../scenarios/metrics.js').Scenario} scenario @param {Text} text */
function settingsOf(scenario, text) {
  const { name: chosen, defaults } = scenario;
  const pairs = Object.entries(BOUNDS).map(([name, bound]) => {
    const given = text(name);
    const applies = bound.only?.includes(chosen) !== false;
    if (given !== null && !applies) throw new BenchError(`--${name} is for ${bound.only?.join(', ')}`);
    const usual = applies ? (defaults[bound.setting] ?? bound.usual) : bound.least;
    return [bound.setting, given === null ? usual : boundedNumber(name, given, bound)];
  });
  /** @type {import('../load/model.js').Settings} */
  const settings = Object.fromEntries(pairs);
  const openLoop = (defaults.rate ?? 0) > 0;
  if (openLoop && settings.rate === 0) throw new BenchError(`--rate must be above 0 for ${chosen}`);
  if (openLoop && settings.batch > settings.publishSockets) {
    throw new BenchError(`--batch ${settings.batch} needs as many --publish-sockets`);
  }
  if (scenario.lasting === true) {
    if (text('duration') !== null) throw new BenchError(`${chosen} lasts --minutes, not --duration`);
    settings.duration = settings.minutes * 60;
  }
  return { ...settings, loadProcesses: Math.min(settings.loadProcesses, settings.connections) };
}

/**
 * Refuses a run whose load alone would take longer.
 * @param {import('../scenarios/metrics.js').Scenario} scenario
 * @param {import('../load/model.js').Settings} settings
 * @param {number | null} given
 */
function timeLimitOf({ alone, lasting, phases, turns = 1 }, settings, given) {
  const { rounds, settle } = settings;
  const windows = phases?.(settings).length ?? 1;
  const each = settingsOfTurns(settings, turns).reduce((sum, part) => sum + part.warmup + part.duration, 0);
  const seconds = rounds * (alone === true ? 1 : 2) * (windows * each + 2 * settle);
  const usual = lasting === true ? seconds + MARGIN_SECONDS : USUAL_TIME_LIMIT_SECONDS;
  const limit = given ?? Math.min(usual, LONGEST_TIME_LIMIT_SECONDS);
  if (seconds >= limit) throw new BenchError(`${seconds} s of load do not fit the time limit of ${limit} s`);
  return limit;
}

/** @param {import('../scenarios/metrics.js').Scenario} scenario @param {Text} text */
function limitsOf(scenario, text) {
  /** @type {Record<string, number>} */
  const limits = {};
  for (const [name, limit] of Object.entries(LIMITS)) {
    const given = text(name);
    if (given === null) continue;
    if (!belongsTo(limit, scenario)) throw new BenchError(`--${name} is not for ${scenario.name}`);
    if (limit.needsSpawn === true && text('spawn') === null) throw new BenchError(`--${name} needs --spawn`);
    limits[name] = boundedNumber(name, given, limit);
  }
  return limits;
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
