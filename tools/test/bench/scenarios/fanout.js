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

/** What both fan-out scenarios report. @type {Pick<import('./metrics.js').Scenario, 'load' | 'needs' | 'rows' | 'metrics'>} */
export const deliveries = {
  needs: 'secret',
  load: pubsubLoad,
  rows: [...unitRows('delivery', 'deliveries'), ...latencyRows, missingRow, failedRow],
  metrics: (sample) => ({
    ...unitMetrics(sample, sample.counts['received'] ?? 0),
    ...latencyMetrics(sample),
    ...deliveryMetrics(sample),
  }),
};

/** One channel with all subscribers. @type {import('./metrics.js').Scenario} */
export const fanout = {
  ...deliveries,
  name: 'fanout',
  summary: 'one channel with many subscribers, published to through the HTTP API',
  defaults: { connections: 1000, channels: 1, rate: 20 },
  dialects: ['v1', 'v2', 'ably', 'ably-msgpack'],
};
