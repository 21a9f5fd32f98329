import { requestLoad } from '../load/request-load.js';
import { failedRow, latencyMetrics, latencyRows, unitMetrics, unitRows } from './metrics.js';

/** Plain GET over keep-alive connections: what the HTTP platform costs. @type {import('./metrics.js').Scenario} */
export const http = {
  name: 'http',
  summary: 'GET of the path in --url, against the bare GET /hello',
  defaults: { connections: 64 },
  needs: 'none',
  load: (context) => {
    const { authority, path } = context.server;
    const request = Buffer.from(`GET ${path} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`);
    return requestLoad(context, () => [request], ['load']);
  },
  rows: [...unitRows('request', 'requests'), ...latencyRows, failedRow],
  metrics: (sample) => ({
    ...unitMetrics(sample, sample.counts['answered'] ?? 0),
    ...latencyMetrics(sample),
    failed: sample.totals['failed'] ?? 0,
  }),
};
