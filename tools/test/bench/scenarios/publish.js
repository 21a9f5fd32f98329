import { markedData } from '../load/marker.js';
import { requestLoad } from '../load/request-load.js';
import { signedRequest } from '../load/sign.js';
import { failedRow, latencyMetrics, latencyRows, unitMetrics, unitRows } from './metrics.js';

/** Different requests sent in turn. They are signed beforehand: a signature holds for ten minutes. */
const PREPARED = 256;
const SINGLE = 'single';
const BATCH = 'batch';
const HALF_LOAD = 'half load';

/** @param {import('../load/model.js').LoadContext} context */
function requestsOf({ server: { credentials, authority }, settings }) {
  const event = (/** @type {number} */ index) => ({
    name: 'bench',
    channel: `bench-${index % settings.channels}`,
    data: markedData(index, settings.payloadBytes),
  });
  const numbers = Array.from({ length: PREPARED }, (_, index) => index);
  const singles = numbers.map((index) => {
    const { channel, ...rest } = event(index);
    return signedRequest(credentials, authority, 'events', { ...rest, channels: [channel] });
  });
  const batches = numbers.map((index) => {
    const batch = Array.from({ length: settings.batch }, (_, place) => event(index + place));
    return signedRequest(credentials, authority, 'batch_events', { batch });
  });
  return (/** @type {string} */ phase) => (phase === BATCH ? batches : singles);
}

/**
 * As fast as answers come, for the cost of one; then, with a batch, the same as batches; then at half of what the first
 * window reached, for the latency. A given rate replaces all that by one window at that rate.
 * @param {import('../load/model.js').Settings} settings
 * @returns {import('./metrics.js').PlannedPhase[]}
 */
function phases({ rate, batch }) {
  if (rate > 0) return [{ name: SINGLE, rate: () => rate }];
  const closedLoop = [SINGLE, ...(batch > 1 ? [BATCH] : [])].map((name) => ({ name, rate: () => 0 }));
  return [
    ...closedLoop,
    {
      name: HALF_LOAD,
      rate: ([single]) => (single === undefined ? 1 : Math.max(1, answered(single) / single.seconds / 2)),
    },
  ];
}

/** @param {import('./metrics.js').Measured} measured */
const answered = ({ counts }) => counts['answered'] ?? 0;

/** Signed publishes to channels nobody listens to: what admission costs. @type {import('./metrics.js').Scenario} */
export const publish = {
  name: 'publish',
  summary: 'signed POST /apps/{id}/events without subscribers, also as batches and at half load',
  defaults: { connections: 64 },
  needs: 'secret',
  signedFloor: true,
  phases,
  load: (context) =>
    requestLoad(context, requestsOf(context), context.settings.batch > 1 ? [SINGLE, BATCH] : [SINGLE]),
  rows: [
    ...unitRows('publish', 'publishes'),
    { key: 'batch_cpu_us', title: 'CPU µs per event of a batch', digits: 2, compare: true },
    { key: 'batch_cost', title: 'a batch, of its events published singly', digits: 3 },
    { key: 'paced_per_second', title: 'publishes per second for the latency', digits: 0 },
    ...latencyRows,
    failedRow,
  ],
  metrics: (sample, settings) => {
    const single = unitMetrics(sample, answered(sample));
    const batch = settings.batch > 1 && settings.rate === 0 ? sample.phases[1] : undefined;
    const batchCpu =
      batch === undefined ? null : unitMetrics(batch, answered(batch) * settings.batch)['cpu_us'];
    const paced = sample.phases.at(-1) ?? sample;
    return {
      ...single,
      batch_cpu_us: batchCpu ?? null,
      batch_cost: batchCpu && single['cpu_us'] ? batchCpu / single['cpu_us'] : null,
      paced_per_second: answered(paced) / paced.seconds,
      ...latencyMetrics(paced),
      failed: sample.phases.reduce((sum, { totals }) => sum + (totals['failed'] ?? 0), 0),
    };
  },
};
