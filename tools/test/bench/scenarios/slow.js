import { pubsubLoad } from '../load/pubsub-load.js';
import { slowReader, SLOW_PHASE } from '../load/slow-reader.js';
import { together } from '../load/together.js';
import { quantileMs } from '../report/statistics.js';
import { deliveryMetrics, failedRow, missingRow } from './metrics.js';

/** @param {import('./metrics.js').Measured} measured */
const peakBytes = ({ memory }) => Math.max(...memory.map(({ rssBytes }) => rssBytes));

/** @param {number | null} part @param {number | null} whole */
const quotient = (part, whole) => (part === null || whole === null || whole === 0 ? null : part / whole);

/** One subscriber of many stops reading: the others must not notice. @type {import('./metrics.js').Scenario} */
export const slow = {
  name: 'slow',
  summary: 'one channel, one of its subscribers stops reading: what the others and the server feel',
  defaults: { connections: 100, channels: 1, rate: 150, payloadBytes: 8192, duration: 15 },
  needs: 'secret',
  fresh: true,
  sampleSeconds: 1,
  phases: ({ rate }) => ['calm', SLOW_PHASE].map((name) => ({ name, rate: () => rate })),
  load: (context) => {
    const settings = { ...context.settings, connections: context.settings.connections - 1 };
    return together(slowReader(context), pubsubLoad({ ...context, settings }));
  },
  rows: [
    { key: 'calm_p50_ms', title: 'latency p50 while all read, ms', digits: 3, compare: true },
    { key: 'p50_ms', title: 'latency p50 beside the slow reader, ms', digits: 3, compare: true },
    { key: 'p50_slowdown', title: 'the second, of the first', digits: 2 },
    { key: 'calm_p99_ms', title: 'latency p99 while all read, ms', digits: 3, compare: true },
    {
      key: 'p99_ms',
      title: 'latency p99 beside the slow reader, ms',
      digits: 3,
      compare: true,
      headline: true,
    },
    { key: 'slowdown', title: 'the second, of the first', digits: 2 },
    { key: 'growth_mib', title: 'memory the server grew by, MiB', digits: 1 },
    { key: 'close_code', title: 'slow reader closed with (0: not closed)', digits: 0 },
    { key: 'slow_received', title: 'messages the slow reader still got', digits: 0 },
    { key: 'published', title: 'messages meant for it', digits: 0 },
    missingRow,
    failedRow,
  ],
  metrics: ({ phases: [calm, beside], ...only }) => {
    const early = calm ?? only;
    const late = beside ?? early;
    const [calmP50, calmP99] = [quantileMs(early.latency, 0.5), quantileMs(early.latency, 0.99)];
    const [p50, p99] = [quantileMs(late.latency, 0.5), quantileMs(late.latency, 0.99)];
    const growth = (peakBytes(late) - peakBytes(early)) / 2 ** 20;
    const both = [deliveryMetrics(early), deliveryMetrics(late)];
    const sum = (/** @type {string} */ key) =>
      both.reduce((total, metrics) => total + (metrics[key] ?? 0), 0);
    return {
      calm_p50_ms: calmP50,
      p50_ms: p50,
      p50_slowdown: quotient(p50, calmP50),
      calm_p99_ms: calmP99,
      p99_ms: p99,
      slowdown: quotient(p99, calmP99),
      growth_mib: Number.isFinite(growth) ? growth : null,
      close_code: late.totals['close_code'] ?? 0,
      slow_received: late.totals['slow_received'] ?? 0,
      published: late.totals['published'] ?? 0,
      missing: sum('missing'),
      failed: sum('failed'),
    };
  },
};
