// `node tools/test/bench storm`: every connection is cut at once, and everybody comes back and goes on where they were.
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { readTree } from '../../measure/proc-tree.js';
import { BenchError } from '../../settings/bench-error.js';
import { StormClient, Tally } from './client.js';
import { startService } from './service.js';

const HELP = `node tools/test/bench storm [options]

Starts a server of its own, or gateways, subscribes many clients of protocol 2 while events are published, cuts every connection at once,
and lets all come back and resume; then the same with clients of protocol 1, who only subscribe anew. Needs a build. Ends
with 3 when somebody is not back in time, misses a message without being told, or anything is missing at the end.

  --subscribers      (100 to 20000, usually 5000)
  --channels         they are spread over (1 to 5000, usually 500)
  --rate             events a second (1 to 2000, usually 200)
  --at-once          connections made at one time (16 to 5000, usually 256)
  --gateways         more than one: beside each other over Redis; everybody comes back to another one (1 to 4, usually 1)
  --history          channels are kept, in PostgreSQL
  --json             prints one JSON document instead of the table
`;

const BOUNDS = /** @type {const} */ ({
  subscribers: [100, 20_000, 5000],
  channels: [1, 5000, 500],
  rate: [1, 2000, 200],
  'at-once': [16, 5000, 256],
  gateways: [1, 4, 1],
});
const CALM_MS = 2000;
/** Everybody is promised to be back in this time. */
const BACK_WITHIN_MS = 10_000;
const GIVE_UP_MS = 60_000;
const TICK_MS = 20;

/** @param {string[]} args */
function optionsOf(args) {
  const text = /** @type {const} */ ({ type: 'string' });
  const flag = /** @type {const} */ ({ type: 'boolean', default: false });
  const { values } = parseArgs({
    args,
    options: {
      subscribers: text,
      channels: text,
      rate: text,
      'at-once': text,
      gateways: text,
      history: flag,
      json: flag,
      help: flag,
    },
  });
  const number = (/** @type {keyof typeof BOUNDS} */ name) => {
    const [least, most, usual] = BOUNDS[name];
    const value = Number(values[name] ?? usual);
    if (!Number.isInteger(value) || value < least || value > most)
      throw new BenchError(`--${name} takes a whole number from ${least} to ${most}`);
    return value;
  };
  return {
    subscribers: number('subscribers'),
    channels: number('channels'),
    rate: number('rate'),
    atOnce: number('at-once'),
    gateways: number('gateways'),
    history: values.history,
    json: values.json,
    help: values.help,
  };
}

/** @typedef {ReturnType<typeof optionsOf>} Options */

const channelOf = (/** @type {number} */ index) => `storm-${index}`;

/** Publishes to one channel after another until it is stopped. */
class Publishing {
  /** How many events each channel has. @type {number[]} */
  published;
  #isStopped = false;
  #turn = 0;

  /** @param {import('./service.js').Service} service @param {Options} options */
  constructor(service, { channels, rate }) {
    this.service = service;
    this.rate = rate;
    this.published = Array.from({ length: channels }, () => 0);
    this.running = this.#run();
  }

  async stop() {
    this.#isStopped = true;
    await this.running;
  }

  async #run() {
    const beganMs = performance.now();
    /** @type {Set<Promise<void>>} */
    const under = new Set();
    for (let sent = 0; !this.#isStopped; await pause(TICK_MS)) {
      const due = Math.floor(((performance.now() - beganMs) * this.rate) / 1000);
      for (; sent < due; sent += 1) {
        const sending = this.#send();
        under.add(sending);
        void sending.finally(() => under.delete(sending)).catch(() => {});
      }
    }
    await Promise.all(under);
  }

  async #send() {
    const at = this.#turn;
    this.#turn = (at + 1) % this.published.length;
    this.published[at] = (this.published[at] ?? 0) + 1;
    await this.service.publish(channelOf(at), 'x'.repeat(100));
  }
}

/** Lets all connect, so many at one time. @param {readonly StormClient[]} clients @param {number} atOnce */
async function connectAll(clients, atOnce) {
  const waiting = clients.values();
  const lanes = Array.from({ length: Math.min(atOnce, clients.length) }, async () => {
    for (const client of waiting) await client.connect();
  });
  const timer = setTimeout(() => {
    for (const client of clients) client.cut();
  }, GIVE_UP_MS);
  await Promise.all(lanes);
  clearTimeout(timer);
}

/** @param {readonly number[]} pids */
const cpuOf = (pids) => pids.reduce((sum, pid) => sum + (readTree(pid)?.cpuUs ?? 0), 0);

/**
 * One storm of clients of one protocol.
 * @param {Options} options @param {1 | 2} protocol @param {(line: string) => void} progress
 */
async function storm(options, protocol, progress) {
  const { gateways, history: isKept } = options;
  const service = await startService({ gateways, isKept, isRecovered: protocol === 2 });
  try {
    const tally = new Tally();
    const clients = Array.from(
      { length: options.subscribers },
      (_, at) => new StormClient(service, channelOf(at % options.channels), { protocol, tally, at }),
    );
    await connectAll(clients, options.atOnce);
    progress(`protocol ${protocol}: ${clients.length} subscribed`);
    const publishing = new Publishing(service, options);
    await pause(CALM_MS);
    const [cpuBefore, beganMs] = [cpuOf(service.pids), performance.now()];
    for (const client of clients) client.cut();
    await connectAll(clients, options.atOnce);
    const backMs = performance.now() - beganMs;
    const cpuMs = (cpuOf(service.pids) - cpuBefore) / 1000;
    progress(`protocol ${protocol}: all back after ${backMs.toFixed(0)} ms`);
    await pause(CALM_MS);
    await publishing.stop();
    await pause(CALM_MS);
    const behind = protocol === 1 ? 0 : behindOf(clients, publishing.published, options.channels);
    for (const client of clients) client.cut();
    const { repeated, silentGaps, recovered, told, replayed, received, refused } = tally;
    return {
      protocol,
      backMs,
      cpuMs,
      recovered,
      told,
      replayed,
      repeated,
      silentGaps,
      behind,
      received,
      refused,
    };
  } finally {
    await service.stop();
  }
}

/** Clients that are not where their channel is. @param {readonly StormClient[]} clients @param {readonly number[]} published @param {number} channels */
const behindOf = (clients, published, channels) =>
  clients.filter(({ serial }, at) => serial !== published[at % channels]).length;

/** @typedef {Awaited<ReturnType<typeof storm>>} Outcome */

/** @type {readonly (readonly [title: string, key: keyof Outcome])[]} */
const ROWS = [
  ['all back after, ms', 'backMs'],
  ['CPU of the service until then, ms', 'cpuMs'],
  ['recovered completely', 'recovered'],
  ['told that they cannot go on', 'told'],
  ['messages replayed', 'replayed'],
  ['subscribes refused for now', 'refused'],
  ['came again (dropped by serial)', 'repeated'],
  ['silent gaps', 'silentGaps'],
  ['not at the end of their channel', 'behind'],
];

const line = (/** @type {string} */ title, /** @type {readonly string[]} */ cells) =>
  `${title.padEnd(36)}${cells.map((cell) => cell.padStart(14)).join('')}\n`;

/** @param {readonly Outcome[]} outcomes */
function tableOf(outcomes) {
  const head = line(
    '',
    outcomes.map(({ protocol }) => `protocol ${protocol}`),
  );
  return ROWS.reduce(
    (text, [title, key]) =>
      text +
      line(
        title,
        outcomes.map((one) => one[key].toFixed(0)),
      ),
    head,
  );
}

/** @param {string[]} args @param {(line: string) => void} progress @returns {Promise<boolean>} whether it is as promised */
export async function benchStorm(args, progress) {
  const options = optionsOf(args);
  if (options.help) {
    process.stdout.write(HELP);
    return true;
  }
  const resuming = await storm(options, 2, progress);
  const reconnecting = await storm(options, 1, progress);
  const outcomes = [resuming, reconnecting];
  process.stdout.write(options.json ? `${JSON.stringify(outcomes, null, 2)}\n` : tableOf(outcomes));
  const { backMs, silentGaps, behind, recovered, told } = resuming;
  const isTold = recovered + told === options.subscribers;
  return backMs <= BACK_WITHIN_MS && silentGaps === 0 && behind === 0 && isTold;
}
