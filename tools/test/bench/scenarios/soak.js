import { churnLoad } from '../load/churn-load.js';
import { pubsubLoad } from '../load/pubsub-load.js';
import { together } from '../load/together.js';
import { slope } from '../report/statistics.js';
import {
  deliveryMetrics,
  failedRow,
  latencyMetrics,
  latencyRows,
  missingRow,
  unitMetrics,
} from './metrics.js';

const MIB = 2 ** 20;

/** The first half may grow: caches fill, code is compiled. @param {import('./metrics.js').Measured} measured */
const secondHalf = ({ memory }) =>
  memory
    .slice(Math.floor(memory.length / 2))
    .map(({ seconds, rssBytes }) => ({ x: seconds / 60, y: rssBytes / MIB }));

/** Half an hour of ordinary work: does memory stand still? @type {import('./metrics.js').Scenario} */
export const soak = {
  name: 'soak',
  summary: 'lasting and short-lived connections and publishes for a long time: slope of memory (target only)',
  defaults: { connections: 1000, channels: 100, rate: 3000, rounds: 1, warmup: 5 },
  needs: 'secret',
  alone: true,
  lasting: true,
  sampleSeconds: 5,
  load: (context) => together(pubsubLoad(context), churnLoad(context)),
  rows: [
    { key: 'slope', title: 'memory slope, second half, MiB per minute', digits: 3 },
    { key: 'rss_begin_mib', title: 'resident memory at first, MiB', digits: 1 },
    { key: 'rss_half_mib', title: 'at half time', digits: 1 },
    { key: 'rss_end_mib', title: 'at the end', digits: 1 },
    { key: 'per_second', title: 'deliveries per second', digits: 0 },
    { key: 'lives_per_second', title: 'short-lived connections per second', digits: 1 },
    { key: 'busy_percent', title: 'server CPU, % of one core', digits: 1 },
    ...latencyRows,
    missingRow,
    failedRow,
  ],
  metrics: (sample) => {
    const mib = (/** @type {number} */ share) => {
      const { memory } = sample;
      const bytes = memory[Math.floor((memory.length - 1) * share)]?.rssBytes;
      return bytes === undefined ? null : bytes / MIB;
    };
    return {
      slope: slope(secondHalf(sample)),
      rss_begin_mib: mib(0),
      rss_half_mib: mib(0.5),
      rss_end_mib: mib(1),
      ...unitMetrics(sample, sample.counts['received'] ?? 0),
      lives_per_second: (sample.counts['cycles'] ?? 0) / sample.seconds,
      ...latencyMetrics(sample),
      ...deliveryMetrics(sample),
    };
  },
};
