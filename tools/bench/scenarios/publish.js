import { markedData } from '../load/marker.js';
import { requestLoad } from '../load/request-load.js';
import { publishRequest } from '../load/sign.js';
import { failedRow, latencyMetrics, latencyRows, unitMetrics, unitRows } from './metrics.js';

/** Different requests sent in turn. They are signed beforehand: a signature holds for ten minutes. */
const PREPARED = 256;

/** Signed publishes to channels nobody listens to: what admission costs. @type {import('./metrics.js').Scenario} */
export const publish = {
  name: 'publish',
  summary: 'signed POST /apps/{id}/events without subscribers',
  defaults: { connections: 64 },
  needs: 'secret',
  load: (context) => {
    const { server, settings } = context;
    const requests = Array.from({ length: PREPARED }, (_, index) =>
      publishRequest(server.credentials, server.authority, {
        name: 'bench',
        channels: [`bench-${index % settings.channels}`],
        data: markedData(index, settings.payloadBytes),
      }),
    );
    return requestLoad(context, requests);
  },
  rows: [...unitRows('publish', 'publishes'), ...latencyRows, failedRow],
  metrics: (sample) => ({
    ...unitMetrics(sample, sample.counts['answered'] ?? 0),
    ...latencyMetrics(sample),
    failed: sample.totals['failed'] ?? 0,
  }),
};
