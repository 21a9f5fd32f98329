// `node tools/test/bench push`: how fast pushes are planned, sent and accounted for, and what each costs its worker.
import { parseArgs } from 'node:util';
import { readTree } from '../../measure/proc-tree.js';
import { BenchError } from '../../settings/bench-error.js';
import { fill } from './fill.js';
import { apiAt, cloudsOf, giveCredentials, openFleet } from './fleet.js';
import { costOf, countAt, isOver, isPlanned } from './watch.js';

const LIMIT_MS = 600_000;
const WARM_UP = 2000;
const MAX_TRIES = 30;

/** @param {string[]} args */
function optionsOf(args) {
  const text = /** @type {const} */ ({ type: 'string' });
  const { values } = parseArgs({
    args,
    options: { devices: text, sends: text, 'answer-ms': text, json: { type: 'boolean' } },
  });
  const number = (
    /** @type {'answer-ms' | 'devices' | 'sends'} */ name,
    /** @type {number} */ usual,
    least = 1,
    most = 5_000_000,
  ) => {
    const value = Number(values[name] ?? usual);
    if (!Number.isInteger(value) || value < least || value > most)
      throw new BenchError(`--${name} takes a whole number from ${least} to ${most}`);
    return value;
  };
  return {
    devices: number('devices', 200_000),
    sends: number('sends', 10_000),
    answerMs: number('answer-ms', 20, 0, 10_000),
    json: values.json === true,
  };
}

/** @typedef {import('./fleet.js').Fleet} Fleet */
/** @typedef {import('./fleet.js').Started} Started */
/** @typedef {Record<string, number>} Summary */

/** @param {string[]} args @param {(line: string) => void} progress @returns {Promise<boolean>} */
export async function benchPush(args, progress) {
  const { devices, sends, answerMs, json } = optionsOf(args);
  const fleet = await openFleet();
  try {
    const planner = await fleet.start('push-planner');
    await fleet.sql.connect();
    const [node, dispatch, feedback] = await Promise.all(
      ['api', 'push-dispatch', 'push-feedback'].map((app) => fleet.start(app)),
    );
    const api = apiAt(node?.port ?? 0);
    const keys = { clouds: cloudsOf(fleet), ...(await giveCredentials(fleet, api)) };
    await fleet.say({ do: 'pace', ms: answerMs });
    progress(`registering ${devices} and 2 × ${sends} devices`);
    for (const { channel, transport, count } of channelsOf(devices, sends)) {
      await fill(fleet.sql, { channel, transport, count, ...keys });
    }
    const publish = (/** @type {string} */ channel) => accepted(api, channel);
    if (dispatch === undefined || feedback === undefined) throw new BenchError('a worker did not start');
    const stage = { fleet, planner, dispatch, feedback, publish };
    progress('warming up');
    for (const channel of ['warm-phones', 'warm-browsers']) await sent(stage, channel, WARM_UP);
    progress('sending to phones');
    const fcm = await sent(stage, 'phones', sends);
    progress('sending to browsers');
    const webpush = await sent(stage, 'browsers', sends);
    progress('planning');
    const summary = {
      ...planned(await plan(stage, 'all'), devices),
      ...prefixed('fcm', fcm),
      ...prefixed('webpush', webpush),
    };
    told(summary, json);
    return true;
  } finally {
    await fleet.close();
  }
}

/** Publishes until it is accepted: a worker that has just started may not be known yet. @param {ReturnType<typeof apiAt>} api @param {string} channel */
async function accepted(api, channel) {
  const body = {
    publishId: channel,
    recipients: [{ type: 'channel', channel }],
    payload: { title: 'An offer', body: 'Only today', data: { id: '42' } },
  };
  for (let tries = 1; ; tries += 1) {
    try {
      return await api('POST', '/publish', body);
    } catch (error) {
      if (tries >= MAX_TRIES) throw error;
    }
    await new Promise((later) => void setTimeout(later, 1000));
  }
}

/** @param {number} devices @param {number} sends */
const channelsOf = (devices, sends) =>
  /** @type {const} */ ([
    { channel: 'warm-phones', transport: 'gcm', count: WARM_UP },
    { channel: 'warm-browsers', transport: 'web', count: WARM_UP },
    { channel: 'phones', transport: 'gcm', count: sends },
    { channel: 'browsers', transport: 'web', count: sends },
    { channel: 'all', transport: 'gcm', count: devices },
  ]);

/**
 * @typedef {object} Stage
 * @property {Fleet} fleet
 * @property {Started} planner
 * @property {Started} dispatch
 * @property {Started} feedback
 * @property {(channel: string) => Promise<unknown>} publish
 */

/** Only the planner works. @param {Stage} stage @param {string} channel */
async function plan({ fleet, planner, dispatch, feedback, publish }, channel) {
  for (const other of [dispatch, feedback]) other.hold(true);
  await publish(channel);
  return costOf(planner.pid, () => isPlanned(fleet.sql, channel), LIMIT_MS);
}

/**
 * Plans, then sends, then takes in results, one worker at a time: there are fewer processors than workers.
 * @param {Stage} stage @param {string} channel @param {number} count
 */
async function sent(stage, channel, count) {
  const { fleet, dispatch, feedback } = stage;
  await plan(stage, channel);
  const already = seen.get(dispatch) ?? 0;
  seen.set(dispatch, already + count);
  const cloudsBefore = cpuOf(fleet.cloudsPid);
  const databaseBefore = cpuOf(fleet.databasePid);
  dispatch.hold(false);
  const isSent = async () => (await countAt(dispatch.metrics, 'push_dispatched_total')) >= already + count;
  const sending = await costOf(dispatch.pid, isSent, LIMIT_MS);
  const cloudsUs = cpuOf(fleet.cloudsPid) - cloudsBefore;
  dispatch.hold(true);
  feedback.hold(false);
  const taking = await costOf(feedback.pid, () => isOver(fleet.sql, channel), LIMIT_MS);
  dispatch.hold(false);
  return {
    per_second: (count * 1000) / sending.ms,
    cpu_us: sending.cpuUs / count,
    cloud_cpu_us: cloudsUs / count,
    database_cpu_us: (cpuOf(fleet.databasePid) - databaseBefore) / count,
    feedback_per_second: (count * 1000) / taking.ms,
    feedback_cpu_us: taking.cpuUs / count,
  };
}

/** @param {number} pid */
const cpuOf = (pid) => readTree(pid)?.cpuUs ?? 0;

/** Deliveries each dispatcher has sent. @type {WeakMap<Started, number>} */
const seen = new WeakMap();

/** @param {{ ms: number, cpuUs: number, rssMib: number[] }} cost @param {number} devices @returns {Summary} */
function planned({ ms, cpuUs, rssMib }, devices) {
  const at = (/** @type {number} */ part) => rssMib[Math.floor((rssMib.length - 1) * part)] ?? 0;
  return {
    plan_per_second: (devices * 1000) / ms,
    plan_cpu_us: cpuUs / devices,
    plan_rss_begin_mib: at(0),
    plan_rss_quarter_mib: at(0.25),
    plan_rss_half_mib: at(0.5),
    plan_rss_end_mib: at(1),
  };
}

/** @param {string} name @param {Summary} summary @returns {Summary} */
const prefixed = (name, summary) =>
  Object.fromEntries(Object.entries(summary).map(([key, value]) => [`${name}_${key}`, value]));

/** @type {Readonly<Record<string, readonly [title: string, digits: number]>>} */
const ROWS = {
  plan_per_second: ['planned, devices/s (goal 50000)', 0],
  plan_cpu_us: ['  CPU of the planner a device, µs', 1],
  plan_rss_begin_mib: ['  memory of the planner at first, MiB', 0],
  plan_rss_quarter_mib: ['  after a quarter', 0],
  plan_rss_half_mib: ['  after half', 0],
  plan_rss_end_mib: ['  at the end', 0],
  fcm_per_second: ['sent to FCM/s (goal 5000 a worker)', 0],
  fcm_cpu_us: ['  CPU of the worker a notification, µs', 0],
  fcm_cloud_cpu_us: ['  CPU of the stand-in, µs', 0],
  fcm_database_cpu_us: ['  CPU of PostgreSQL a notification, µs (goal 200)', 0],
  fcm_feedback_per_second: ['  results taken in/s (goal 5000)', 0],
  fcm_feedback_cpu_us: ['  CPU of the worker a result, µs', 0],
  webpush_per_second: ['sent by Web Push/s (goal 2000 a worker)', 0],
  webpush_cpu_us: ['  CPU of the worker a notification, µs', 0],
  webpush_cloud_cpu_us: ['  CPU of the stand-in, µs', 0],
  webpush_database_cpu_us: ['  CPU of PostgreSQL a notification, µs (goal 200)', 0],
  webpush_feedback_per_second: ['  results taken in/s (goal 5000)', 0],
  webpush_feedback_cpu_us: ['  CPU of the worker a result, µs', 0],
};

/** @param {Summary} summary @param {boolean} json */
function told(summary, json) {
  const lines = Object.entries(ROWS).map(
    ([key, [title, digits]]) => `${title.padEnd(48)} ${(summary[key] ?? 0).toFixed(digits)}\n`,
  );
  process.stdout.write(json ? `${JSON.stringify(summary, null, 2)}\n` : lines.join(''));
}
