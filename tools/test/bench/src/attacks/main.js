// `node tools/test/bench attacks`: what anonymous sockets of one app do to a publisher of another one.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { readTree } from '../../measure/proc-tree.js';
import { BenchError } from '../../settings/bench-error.js';
import { ATTACKS } from './attacks.js';
import { clientOf, startService } from './service.js';

const HELP = `node tools/test/bench attacks [options]

Starts a server of its own with two apps. Of one of them, anonymous sockets request histories, rewinds, resumes and costly
filters; of the other one, a publisher measures how long its publishes take, before and meanwhile. Needs a build. Ends with 3
when the median of an attack is more than three times the quiet one.

  --embedded         histories are in the embedded database instead of memory
  --seconds          of each attack (1 to 30, usually 4)
  --only             attacks whose title contains this text
  --json             prints one JSON document instead of the table
`;

const MAX_TIMES = 3;
const PAUSE_MS = 10;

/** @typedef {import('./service.js').Service & { pid: number }} Service */
/** @typedef {import('./attacker.js').WorkerData} WorkerData */
/**
 * @typedef {object} Row
 * @property {string} title
 * @property {number} medianMs
 * @property {number} p99Ms
 * @property {number} longestMs
 * @property {number} memoryMb
 * @property {number | null} mainCpu the part of the time in which the main thread was busy; null: it is not known
 * @property {number | null} longestCpuMs the most CPU that the main thread spent during one publish; null: it is not known
 * @property {number} refused requests of the attack that were refused
 */

/** CPU time of the main thread of a process in milliseconds; null where there is no `/proc`. @param {number} pid */
function mainThreadMs(pid) {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return null;
  }
}

/**
 * Publishes one message after the other until the work is over.
 * @param {Service} service @param {string} title @param {Promise<{ refused: number } | void>} work
 * @returns {Promise<Row>}
 */
async function measured(service, title, work) {
  const end = new AbortController();
  const finish = () => end.abort();
  void work.then(finish, finish);
  /** @type {number[]} */
  const tookMs = [];
  const [beganMs, cpuBeforeMs] = [performance.now(), mainThreadMs(service.pid)];
  let longestCpuMs = cpuBeforeMs === null ? null : 0;
  while (!end.signal.aborted) {
    const [began, cpuBegan] = [performance.now(), mainThreadMs(service.pid) ?? 0];
    await service.publish('neighbour', 'orders', '{}');
    tookMs.push(performance.now() - began);
    if (longestCpuMs !== null)
      longestCpuMs = Math.max(longestCpuMs, (mainThreadMs(service.pid) ?? cpuBegan) - cpuBegan);
    await new Promise((done) => setTimeout(done, PAUSE_MS));
  }
  const refused = (await work)?.refused ?? 0;
  const cpuMs = mainThreadMs(service.pid);
  const mainCpu =
    cpuMs === null || cpuBeforeMs === null ? null : (cpuMs - cpuBeforeMs) / (performance.now() - beganMs);
  const memoryMb = Math.round((readTree(service.pid)?.rssBytes ?? 0) / 1024 / 1024);
  tookMs.sort((one, other) => one - other);
  const at = (/** @type {number} */ part) =>
    tookMs[Math.min(tookMs.length - 1, Math.floor(tookMs.length * part))] ?? 0;
  return {
    title,
    medianMs: at(0.5),
    p99Ms: at(0.99),
    longestMs: at(1),
    memoryMb,
    mainCpu,
    longestCpuMs,
    refused,
  };
}

/** An attacker of its own thread: the thread that measures must not be busy with what the attack makes. @param {WorkerData} data */
function attacker(data) {
  const worker = new Worker(new URL('attacker.js', import.meta.url), { workerData: data });
  /** @param {(message: any) => boolean} isMeant */
  const said = (isMeant) =>
    new Promise((/** @type {(value: { refused: number }) => void} */ done, failed) => {
      worker.on('message', (message) => {
        if (isMeant(message)) done(message);
      });
      worker.once('error', failed);
    });
  return {
    ready: said((message) => message === 'ready'),
    over: said((message) => typeof message?.refused === 'number'),
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread has no origin
    go: () => worker.postMessage('go'),
    end: () => worker.terminate(),
  };
}

/** @param {readonly string[]} args @param {(line: string) => void} progress */
export async function benchAttacks(args, progress) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      embedded: { type: 'boolean', default: false },
      seconds: { type: 'string', default: '4' },
      only: { type: 'string', default: '' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return true;
  }
  const seconds = Number(values.seconds);
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > 30)
    throw new BenchError('--seconds takes a whole number from 1 to 30');
  const server = await startService({ isEmbedded: values.embedded });
  const service = { ...clientOf(server.port), pid: server.pid };
  /** @type {Row[]} */
  const rows = [];
  try {
    await measured(service, 'warm-up', new Promise((done) => setTimeout(done, 2000)));
    for (const attack of ATTACKS.filter(({ title }) => title.includes(values.only))) {
      const { ready, over, go, end } = attacker({ port: service.port, title: attack.title, seconds });
      await ready;
      const quiet = new Promise((done) => setTimeout(done, 1000 * seconds));
      rows.push(await measured(service, 'quiet', quiet));
      go();
      rows.push(await measured(service, attack.title, over));
      progress(rows.slice(-2).map(lineOf).join(' | '));
      await end();
    }
  } finally {
    service.end();
    server.stop();
  }
  process.stdout.write(
    values.json ? `${JSON.stringify(rows, null, 2)}\n` : `${rows.map(lineOf).join('\n')}\n`,
  );
  return rows.every(
    ({ medianMs }, at) => at % 2 === 0 || medianMs <= MAX_TIMES * (rows[at - 1]?.medianMs ?? 0),
  );
}

/** @param {Row} row */
const lineOf = ({ title, medianMs, p99Ms, longestMs, memoryMb, mainCpu, longestCpuMs, refused }) =>
  [
    `${title}: median ${medianMs.toFixed(1)} ms`,
    `p99 ${p99Ms.toFixed(1)} ms`,
    `longest ${longestMs.toFixed(1)} ms`,
    `${memoryMb} MB`,
    ...(mainCpu === null ? [] : [`main thread ${Math.round(100 * mainCpu)} %`]),
    ...(longestCpuMs === null ? [] : [`main thread at most ${longestCpuMs.toFixed(1)} ms in a publish`]),
    ...(refused === 0 ? [] : [`${refused} refused`]),
  ].join(', ');
