import { cycleLoad } from '../load/cycle-load.js';
import { failedRow, unitMetrics, unitRows } from './metrics.js';

/** Upgrade and greeting only; the connection is then cut. @type {import('./metrics.js').Scenario} */
export const connect = {
  name: 'connect',
  summary: 'connections opened until greeted, then cut',
  defaults: { connections: 32 },
  needs: 'key',
  load: (context) => cycleLoad(context, (socket) => socket.open()),
  rows: [...unitRows('connect', 'connects'), failedRow],
  metrics: (sample) => ({
    ...unitMetrics(sample, sample.counts['cycles'] ?? 0),
    failed: sample.totals['failed'] ?? 0,
  }),
};
