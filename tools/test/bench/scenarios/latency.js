import { pubsubLoad } from '../load/pubsub-load.js';
import {
  deliveryMetrics,
  failedRow,
  latencyMetrics,
  latencyRows,
  missingRow,
  unitMetrics,
  unitRows,
} from './metrics.js';

/** A quiet server: how long from the intended publish to the arrival. @type {import('./metrics.js').Scenario} */
export const latency = {
  name: 'latency',
  summary: 'publish to receive at a low rate',
  defaults: { connections: 10, channels: 1, rate: 50 },
  needs: 'secret',
  load: pubsubLoad,
  rows: [...latencyRows, ...unitRows('publish', 'publishes'), missingRow, failedRow],
  metrics: (sample) => ({
    ...latencyMetrics(sample),
    ...unitMetrics(sample, sample.counts['published'] ?? 0),
    ...deliveryMetrics(sample),
  }),
};
