import { frameLoad } from '../load/frame-load.js';
import { failedRow, unitMetrics, unitRows } from './metrics.js';

/** What a publish costs that comes on a socket and is answered there. @type {import('./metrics.js').Scenario} */
export const frames = {
  name: 'frames',
  summary:
    'publish by frames of connections, each answered (--dialect ably or ably-msgpack), without subscribers',
  defaults: { connections: 64, channels: 64 },
  needs: 'secret',
  dialects: ['ably', 'ably-msgpack'],
  load: frameLoad,
  rows: [...unitRows('publish', 'publishes'), failedRow],
  metrics: (sample) => ({
    ...unitMetrics(sample, sample.counts['answered'] ?? 0),
    failed: sample.totals['failed'] ?? 0,
  }),
};
