import { Histogram } from '../load/histogram.js';

/** @typedef {import('../load/model.js').LoadResult} LoadResult */

/** One result out of all processes'. @param {LoadResult[]} results */
export function merged(results) {
  const latency = new Histogram();
  const lag = new Histogram();
  for (const result of results) {
    latency.add(result.latency);
    lag.add(result.lag);
  }
  return {
    seconds: results.reduce((sum, { seconds }) => sum + seconds, 0) / results.length,
    counts: added(results.map(({ counts }) => counts)),
    totals: added(results.map(({ totals }) => totals)),
    latency,
    lag,
    problem: results.map(({ problem }) => problem).find((problem) => problem !== '') ?? '',
  };
}

/** Counters of the same names, added up. @param {Record<string, number>[]} all */
function added(all) {
  /** @type {Record<string, number>} */
  const total = {};
  for (const [name, value] of all.flatMap((one) => Object.entries(one)))
    total[name] = (total[name] ?? 0) + value;
  return total;
}
