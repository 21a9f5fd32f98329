// `node tools/test/bench history`: what lanes commit, next to the same rows written without them.
import { parseArgs } from 'node:util';
import { BenchError } from '../../settings/bench-error.js';
import { paced, sustained } from './lanes.js';
import { RawWriter } from './raw.js';
import { channelsOf } from './records.js';
import { openSetting } from './setting.js';

const BATCH = 500;
const WARM_UP_MS = 1000;
/**
 * So many times as long is published at half the rate. A full collection comes once in 20 s and more, and slows down 60 ms;
 * of 5 s these alone are more than one in a hundred. Much longer, and the server runs out of WAL segments that it can use
 * again: to make one takes it 100 ms, which one in service did long ago.
 */
const PACED_TIMES = 2;
/** What is promised. */
const LEAST_OF_RAW = 0.4;
const LEAST_OF_SINGLE = 8;
const MAX_P99_MS = 25;

const median = (/** @type {number[]} */ values) =>
  values.toSorted((first, second) => first - second)[Math.floor(values.length / 2)] ?? 0;
const quantile = (/** @type {number[]} */ sorted, /** @type {number} */ share) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

/** @param {() => Promise<number>} work settles with how many it wrote @param {number} forMs */
async function perSecond(work, forMs) {
  const begunMs = performance.now();
  let count = 0;
  while (performance.now() - begunMs < forMs) count += await work();
  return (count * 1000) / (performance.now() - begunMs);
}

/** @param {string[]} args */
function optionsOf(args) {
  const text = /** @type {const} */ ({ type: 'string' });
  const options = { seconds: text, rounds: text, channels: text, 'payload-bytes': text };
  const { values } = parseArgs({ args, options: { ...options, json: { type: 'boolean' } } });
  const number = (/** @type {keyof typeof options} */ name, /** @type {number} */ usual) => {
    const value = Number(values[name] ?? usual);
    if (!Number.isInteger(value) || value < 1 || value > 100_000)
      throw new BenchError(`--${name} takes a whole number from 1 to 100000`);
    return value;
  };
  return {
    seconds: number('seconds', 5),
    rounds: number('rounds', 3),
    channels: number('channels', 100),
    payloadBytes: number('payload-bytes', 300),
    json: values.json === true,
  };
}

/** @param {string[]} args @param {(line: string) => void} progress @returns {Promise<boolean>} whether it is as promised */
export async function benchHistory(args, progress) {
  const { seconds, rounds, channels: count, payloadBytes, json } = optionsOf(args);
  const forMs = seconds * 1000;
  const channels = channelsOf(count);
  const setting = await openSetting();
  try {
    progress('warming up');
    // Tables are split and streams are made by the first record of each.
    await paced(setting, channels, payloadBytes, WARM_UP_MS, count);
    await sustained(setting, channels, payloadBytes, WARM_UP_MS);
    const raw = new RawWriter(setting, payloadBytes);
    await raw.open(count);
    await perSecond(() => raw.batch(BATCH), WARM_UP_MS);
    /** @type {{ raw: number, single: number, lanes: number, batch: number }[]} */
    const measured = [];
    for (let round = 1; round <= rounds; round += 1) {
      progress(`round ${round} of ${rounds}`);
      const before = setting.batches();
      const lanes = await sustained(setting, channels, payloadBytes, forMs);
      measured.push({
        lanes,
        batch: (lanes * seconds) / (setting.batches() - before),
        raw: await perSecond(() => raw.batch(BATCH), forMs),
        single: await perSecond(() => raw.single(), forMs),
      });
    }
    const lanes = median(measured.map((one) => one.lanes));
    progress('half the rate');
    // Nobody writes this much and then half of it: what the loops have written is not to reach the disk meanwhile.
    await setting.database.query('checkpoint');
    // Small batches are not what ran before.
    await paced(setting, channels, payloadBytes, 2 * WARM_UP_MS, lanes / 2);
    const tookMs = await paced(setting, channels, payloadBytes, PACED_TIMES * forMs, lanes / 2);
    return told(
      {
        raw_per_second: median(measured.map((one) => one.raw)),
        single_per_second: median(measured.map((one) => one.single)),
        lanes_per_second: lanes,
        records_per_batch: median(measured.map((one) => one.batch)),
        lanes_of_raw: median(measured.map((one) => one.lanes / one.raw)),
        lanes_of_single: median(measured.map((one) => one.lanes / one.single)),
        paced_per_second: lanes / 2,
        p50_ms: quantile(tookMs, 0.5),
        p99_ms: quantile(tookMs, 0.99),
        max_ms: tookMs.at(-1) ?? 0,
      },
      json,
    );
  } finally {
    await setting.close();
  }
}

/** @type {Readonly<Record<string, readonly [title: string, digits: number]>>} */
const ROWS = {
  raw_per_second: [`records/s, raw: UNNEST of ${BATCH} in a loop`, 0],
  single_per_second: ['records/s, raw: an INSERT each', 0],
  lanes_per_second: ['records/s through the lanes', 0],
  records_per_batch: ['records of a batch', 0],
  lanes_of_raw: [`the lanes, of the raw loop (at least ${LEAST_OF_RAW})`, 2],
  lanes_of_single: [`the lanes, of an INSERT each (at least ${LEAST_OF_SINGLE})`, 1],
  paced_per_second: ['records/s for the latency', 0],
  p50_ms: ['latency p50, ms', 1],
  p99_ms: [`latency p99, ms (at most ${MAX_P99_MS})`, 1],
  max_ms: ['latency max, ms', 1],
};

/** @param {Record<'lanes_of_raw' | 'lanes_of_single' | 'p99_ms', number> & Record<string, number>} summary @param {boolean} json */
function told(summary, json) {
  const lines = Object.entries(ROWS).map(([key, [title, digits]]) => {
    return `${title.padEnd(48)} ${(summary[key] ?? 0).toFixed(digits)}\n`;
  });
  process.stdout.write(json ? `${JSON.stringify(summary, null, 2)}\n` : lines.join(''));
  return (
    summary.lanes_of_raw >= LEAST_OF_RAW &&
    summary.lanes_of_single >= LEAST_OF_SINGLE &&
    summary.p99_ms <= MAX_P99_MS
  );
}
