import { pubsubLoad } from '../load/pubsub-load.js';

/** Subscribed connections that do nothing: what one costs to hold. @type {import('./metrics.js').Scenario} */
export const conns = {
  name: 'conns',
  summary: 'idle subscribed connections: memory of each, CPU of all',
  defaults: { connections: 2000, channels: 100, rate: 0, warmup: 2 },
  needs: 'key',
  fresh: true,
  load: (context) => pubsubLoad({ ...context, settings: { ...context.settings, rate: 0 } }),
  rows: [
    { key: 'connections', title: 'connections held', digits: 0 },
    { key: 'bytes', title: 'memory per connection, bytes', digits: 0, compare: true, headline: true },
    { key: 'rss_mb', title: 'resident memory, MB', digits: 1, compare: true },
    { key: 'idle_percent', title: 'CPU while idle, % of one core', digits: 2 },
    { key: 'failed', title: 'connections lost', digits: 0 },
  ],
  metrics: ({ seconds, totals, cpuUs, rssBytes }, { connections }) => {
    const lost = totals['lost'] ?? 0;
    return {
      connections: connections - lost,
      bytes: rssBytes === null ? null : (rssBytes.ready - rssBytes.before) / connections,
      rss_mb: rssBytes === null ? null : rssBytes.ready / 2 ** 20,
      idle_percent: cpuUs === null ? null : cpuUs / seconds / 10_000,
      failed: lost,
    };
  },
};
