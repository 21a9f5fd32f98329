// What the lanes commit, as fast as they go and at a rate.
import { BenchError } from '../../settings/bench-error.js';
import { publishOf } from './records.js';

/** Records of one channel on their way at one time, when the lanes go as fast as they can. */
const DEPTH = 40;
const TICK_MS = 1;

/** @param {import('@carillon/contracts').CommitResult | undefined} result */
function mustBeApplied(result) {
  if (result?.status !== 'applied')
    throw new BenchError(`a record was ${result?.status} ${result?.code ?? ''}`);
}

/**
 * Records a second while every channel always has some on their way.
 * @param {import('./setting.js').Setting} setting @param {readonly string[]} channels
 * @param {number} payloadBytes @param {number} forMs
 */
export async function sustained({ client }, channels, payloadBytes, forMs) {
  const begunMs = performance.now();
  const untilMs = begunMs + forMs;
  let count = 0;
  const publisher = async (/** @type {string} */ channel) => {
    while (performance.now() < untilMs) {
      const [result] = await client.commit([publishOf(channel, payloadBytes)]);
      mustBeApplied(result);
      if (performance.now() < untilMs) count += 1;
    }
  };
  await Promise.all(channels.flatMap((channel) => Array.from({ length: DEPTH }, () => publisher(channel))));
  return (count * 1000) / forMs;
}

/**
 * How long records take that come at a rate, in ms, each from when it was to be published.
 * @param {import('./setting.js').Setting} setting @param {readonly string[]} channels
 * @param {number} payloadBytes @param {number} forMs @param {number} perSecond
 */
export async function paced({ client }, channels, payloadBytes, forMs, perSecond) {
  const total = Math.floor((perSecond * forMs) / 1000);
  const tookMs = new Float64Array(total);
  const begunMs = performance.now();
  let answered = 0;
  // What is on its way is counted and not kept: the collector would be as busy with that as with the records.
  await new Promise((done, failed) => {
    const one = async (/** @type {number} */ index) => {
      const dueMs = begunMs + (index * 1000) / perSecond;
      const [result] = await client.commit([
        publishOf(channels[index % channels.length] ?? '', payloadBytes),
      ]);
      mustBeApplied(result);
      tookMs[index] = performance.now() - dueMs;
      answered += 1;
      if (answered === total) done(undefined);
    };
    let next = 0;
    const publishDue = () => {
      const due = Math.min(total, Math.floor(((performance.now() - begunMs) * perSecond) / 1000));
      for (; next < due; next += 1) one(next).catch(failed);
      if (next < total) setTimeout(publishDue, TICK_MS);
    };
    publishDue();
  });
  return [...tookMs.sort()];
}
