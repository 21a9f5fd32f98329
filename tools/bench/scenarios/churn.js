import { cycleLoad } from '../load/cycle-load.js';
import { failedRow, unitMetrics, unitRows } from './metrics.js';

/** Whole short lives: connect, subscribe, leave properly. @type {import('./metrics.js').Scenario} */
export const churn = {
  name: 'churn',
  summary: 'connect, subscribe, close, over and over',
  defaults: { connections: 32, channels: 100 },
  needs: 'key',
  load: (context) =>
    cycleLoad(context, async (socket, slot) => {
      await socket.open();
      await socket.subscribe(`bench-${slot % context.settings.channels}`);
      await socket.end();
    }),
  rows: [...unitRows('life', 'lives'), failedRow],
  metrics: (sample) => ({
    ...unitMetrics(sample, sample.counts['cycles'] ?? 0),
    failed: sample.totals['failed'] ?? 0,
  }),
};
