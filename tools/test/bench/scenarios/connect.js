import { cycleLoad } from '../load/cycle-load.js';
import { failedRow, unitMetrics, unitRows } from './metrics.js';

/** Whole short lives, from the TCP connect to the closing handshake. @type {import('./metrics.js').Scenario} */
export const connect = {
  name: 'connect',
  summary: 'connect, greeting, subscribe, confirmation, close, over and over',
  defaults: { connections: 32, channels: 100 },
  needs: 'key',
  dialects: ['v1', 'v2', 'ably', 'ably-msgpack'],
  load: cycleLoad,
  rows: [...unitRows('connect-and-subscribe', 'connects'), failedRow],
  metrics: (sample) => ({
    ...unitMetrics(sample, sample.counts['cycles'] ?? 0),
    failed: sample.totals['failed'] ?? 0,
  }),
};
