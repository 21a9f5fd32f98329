import { presenceChurn as load } from '../load/presence-churn.js';
import {
  deliveryMetrics,
  failedRow,
  latencyMetrics,
  latencyRows,
  missingRow,
  unitMetrics,
  unitRows,
} from './metrics.js';

/** Users who come and go all the time. @type {import('./metrics.js').Scenario} */
export const presenceChurn = {
  name: 'presence-churn',
  summary: 'joins and leaves of presence channels at two nodes, watched at both (target only)',
  defaults: { connections: 500, channels: 10, rate: 500 },
  needs: 'secret',
  several: true,
  serviceOnly: true,
  alone: true,
  load,
  rows: [
    ...unitRows('join or leave', 'joins and leaves'),
    { key: 'store_calls', title: 'calls of the store per join or leave', digits: 3 },
    ...latencyRows,
    missingRow,
    failedRow,
  ],
  metrics: (sample) => {
    const { counts } = sample;
    const changes = counts['changes'] ?? 0;
    const calls = counts['store_calls'] ?? 0;
    return {
      ...unitMetrics(sample, changes),
      store_calls: changes > 0 && calls > 0 ? calls / changes : null,
      ...latencyMetrics(sample),
      ...deliveryMetrics(sample),
    };
  },
};
